package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// shells are those that a completion script can be written for, with what writes it.
var shells = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"zsh":        func(root *cobra.Command, w io.Writer) error { return root.GenZshCompletion(w) },
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": func(root *cobra.Command, w io.Writer) error { return root.GenPowerShellCompletionWithDesc(w) },
}

// shellNames are the shells in the order of the help.
var shellNames = []string{"bash", "zsh", "fish", "powershell"}

func newCompletion(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the script that completes commands in a shell",
		Long: `completion prints a script for a shell. With it, the Tab key completes commands, flags and their values, and what is in
the data directory: conversations, reviews, collections. For bash the package bash-completion has to be installed.`,
		Example: `  source <(kbagent completion bash)                                      # this shell only; the same for zsh
  kbagent completion bash > ~/.local/share/bash-completion/completions/kbagent
  kbagent completion zsh > "${fpath[1]}/_kbagent"
  kbagent completion fish > ~/.config/fish/completions/kbagent.fish
  kbagent completion powershell | Out-String | Invoke-Expression`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && slices.Contains(shellNames, args[0]) {
				return nil
			}
			return &usageError{fmt.Errorf("%s needs one shell: %s (see %[1]s --help)", cmd.CommandPath(), strings.Join(shellNames, ", "))}
		},
		ValidArgsFunction: words(shellNames...),
		RunE: func(cmd *cobra.Command, args []string) error {
			return shells[args[0]](cmd.Root(), std.out)
		},
	}
}

// addCompletions gives all commands below cmd what completes their arguments, by the placeholders in their usage lines
// (THREAD in "threads show THREAD"), and their flags, by the flags' names. What a command has already stays.
func addCompletions(cmd *cobra.Command, g *global) error {
	if places := placeholders(cmd.Use); cmd.ValidArgsFunction == nil && (len(places) > 0 || !cmd.HasSubCommands()) {
		cmd.ValidArgsFunction = completeArgs(places, argumentValues(g))
	}
	for name, complete := range flagValues(g) {
		if cmd.LocalFlags().Lookup(name) == nil {
			continue
		}
		if _, done := cmd.GetFlagCompletionFunc(name); done {
			continue
		}
		if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
			return err
		}
	}
	for _, sub := range cmd.Commands() {
		if err := addCompletions(sub, g); err != nil {
			return err
		}
	}
	return nil
}

// A placeholder stands for an argument in a usage line; more says that it may be repeated.
type placeholder struct {
	name string
	more bool
}

// placeholders are those of a usage line like "copy THREAD NEW" or "run FILE|DIR…", before its flags. Of alternatives the
// first counts.
func placeholders(use string) (list []placeholder) {
	for _, word := range strings.Fields(use)[1:] {
		if strings.HasPrefix(word, "-") || word == "|" {
			break
		}
		name, more := strings.CutSuffix(strings.Trim(word, "[]"), "…")
		name, _, _ = strings.Cut(name, "|")
		list = append(list, placeholder{name, more})
	}
	return list
}

// completeArgs completes the arguments that placeholders stand for. One that values does not know completes to nothing.
func completeArgs(places []placeholder, values map[string]cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := len(args)
		if n := len(places); n > 0 && places[n-1].more {
			at = min(at, n-1)
		}
		if at < len(places) {
			if complete, known := values[places[at].name]; known {
				return complete(cmd, args, word)
			}
		}
		return nothing(cmd, args, word)
	}
}
