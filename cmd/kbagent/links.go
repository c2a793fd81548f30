package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// opensLinks says whether the terminal is known to open hyperlinks (OSC 8). Others may print their escape codes, so that
// one which nobody knows gets none; nor does tmux or screen, which hide the terminal around them.
func opensLinks() bool {
	name := os.Getenv("TERM")
	if name == "" || strings.HasPrefix(name, "screen") || strings.HasPrefix(name, "tmux") || name == "dumb" {
		return false
	}
	if slices.Contains([]string{"xterm-kitty", "alacritty", "foot", "contour", "wezterm", "xterm-ghostty"}, name) {
		return true
	}
	if slices.Contains([]string{"iTerm.app", "WezTerm", "vscode", "ghostty"}, os.Getenv("TERM_PROGRAM")) {
		return true
	}
	return os.Getenv("WT_SESSION") != "" || atLeast(os.Getenv("VTE_VERSION"), 5000) || atLeast(os.Getenv("KONSOLE_VERSION"), 201200)
}

// atLeast says that a variable is a version from which on something is there.
func atLeast(version string, least int) bool {
	n, err := strconv.Atoi(version)
	return err == nil && n >= least
}
