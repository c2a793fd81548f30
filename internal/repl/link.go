package repl

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// place is lines of a file, as everywhere in kbagent.
func place(path string, start, end int) string {
	return fmt.Sprintf("%s:L%d-L%d", cleanLine(path), start, end)
}

// spot is what a place is called on this screen: as a hyperlink where the terminal opens those, otherwise with the file as
// path:line behind it, which many terminals and editors open. Without a terminal it is the place alone.
func (s *session) spot(ctx context.Context, path string, start, end int) string {
	name := place(path, start, end)
	file := s.locate(ctx, path)
	switch {
	case !s.screen.live || file == "":
		return name
	case s.screen.links:
		return hyperlink(target(file, start), name)
	case isURL(file):
		return name
	}
	if near := fmt.Sprintf("%s:%d", cleanLine(nearPath(file)), start); near != fmt.Sprintf("%s:%d", cleanLine(path), start) {
		name += "  " + s.screen.paint(dim, near)
	}
	return name
}

// locate is where an indexed file lies, or the address of a page; "" where that is not known. It only decorates: where the
// index cannot be read the place is shown without it, and whatever needs the index meets the error itself.
func (s *session) locate(ctx context.Context, path string) string {
	if isURL(path) {
		return path
	}
	if s.cfg.Host == nil || !s.screen.live {
		return ""
	}
	file, err := s.cfg.Host.Locate(ctx, path)
	if err != nil {
		return ""
	}
	return file
}

func isURL(path string) bool {
	return strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://")
}

// nearPath is a file as seen from the working directory, when it lies below it.
func nearPath(file string) string {
	here, err := os.Getwd()
	if err != nil {
		return file
	}
	if rel, err := filepath.Rel(here, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}

// target is the address of a line of a file. It names this machine, so that a terminal at the other end of a connection does
// not open a file of its own.
func target(file string, line int) string {
	if isURL(file) {
		if u, err := url.Parse(file); err == nil {
			return u.String()
		}
		return ""
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") { // a drive of Windows
		path = "/" + path
	}
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	u := url.URL{Scheme: "file", Host: host, Path: path, Fragment: fmt.Sprintf("L%d", line)}
	return u.String()
}

// hyperlink is a text that opens an address (OSC 8). Both are clean.
func hyperlink(address, text string) string {
	address = strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' { // addresses are ASCII
			return -1
		}
		return r
	}, address)
	return "\x1b]8;;" + address + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}
