package repl

import (
	"context"
	"fmt"
	"strings"
)

// help lists the commands in 80 columns, or tells about one.
func (s *session) help(_ context.Context, name string) error {
	if name != "" {
		return s.helpOn(name)
	}
	s.screen.println("Ask a question in plain words, or give a command:")
	for _, chapter := range chapters() {
		s.screen.println("\n" + s.screen.paint(bold, chapter.title))
		for _, c := range chapter.commands {
			name := fmt.Sprintf("%-22s", strings.TrimSpace(c.name+" "+c.takes))
			s.screen.println("  " + s.screen.paint(cyan, name) + "  " + c.does)
		}
	}
	s.screen.println("\nModes: strict (no answer without evidence), best_effort (say what is missing),\nopen (the model may add what it knows, labelled).")
	s.screen.println("A question that starts with / needs a space in front. /help COMMAND gives an\nexample.")
	switch {
	case s.screen.live:
		s.screen.println("Keys: Ctrl-C stops the answer that is being written, Ctrl-D leaves, Tab completes,\nup and down go through what was entered, Ctrl-R searches it. A line that ends in \\\ngoes on in the next one; a pasted text of several lines is one question.")
	case s.cfg.Interactive:
		s.screen.println("Keys: Ctrl-C stops the answer that is being written, Ctrl-D leaves.")
	}
	return nil
}

// helpOn tells about one command, with or without its slash.
func (s *session) helpOn(name string) error {
	if !strings.HasPrefix(name, "/") && !strings.HasPrefix(name, ":") {
		name = "/" + name
	}
	c, ok := find(name)
	if !ok {
		return unknown(name)
	}
	s.screen.println(s.screen.paint(cyan, strings.TrimSpace(c.name+" "+c.takes)) + "  " + c.does)
	s.screen.println("For example: " + c.example)
	return nil
}
