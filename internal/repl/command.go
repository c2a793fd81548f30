package repl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/internal/near"
)

// command is one word that starts with a slash.
type command struct {
	name    string
	aliases []string
	takes   string // the argument as /help shows it; "" = none
	does    string // one line
	example string
	run     func(s *session, ctx context.Context, arg string) error // arg may be "" where takes is optional
}

// commands is all commands, in the order of /help.
func commands() []command {
	return []command{
		{name: "/help", does: "this list", example: "/help", run: (*session).help},
		{name: "/sources", takes: "[N]", does: "the last answer's sources; passage of N", example: "/sources 2", run: (*session).sources},
		{name: "/why", does: "why the last answer came out that way", example: "/why", run: (*session).why},
		{name: "/graph", does: "the agent as a drawing, with its last way", example: "/graph", run: (*session).graph},
		{name: "/new", does: "a new conversation", example: "/new", run: (*session).newThread},
		{name: "/thread", takes: "[ID]", does: "all conversations, or go to one", example: "/thread q3k7", run: (*session).goToThread},
		{name: "/history", does: "the steps of this conversation", example: "/history", run: (*session).history},
		{name: "/fork", takes: "N", does: "go back to a step of the history", example: "/fork 3", run: (*session).fork},
		{name: "/resume", takes: "[TEXT]", does: "go on, with an answer if one is awaited", example: "/resume yes", run: (*session).resume},
		{name: "/mode", takes: "[MODE]", does: "what to do when the evidence is weak", example: "/mode strict", run: (*session).setMode},
		{name: "/quit", aliases: []string{"/exit", ":q"}, does: "leave (also /exit, :q)", example: "/quit", run: (*session).quit},
	}
}

// command runs one line that is a command.
func (s *session) command(ctx context.Context, line string) error {
	word, arg, _ := strings.Cut(line, " ")
	arg = strings.TrimSpace(arg)
	i := slices.IndexFunc(commands(), func(c command) bool { return c.name == word || slices.Contains(c.aliases, word) })
	if i < 0 {
		return unknown(word)
	}
	c := commands()[i]
	if c.takes == "" && arg != "" {
		return fmt.Errorf("%s takes no argument, for example: %s", c.name, c.example)
	}
	return c.run(s, ctx, arg)
}

// unknown names the nearest command, when one is near.
func unknown(word string) error {
	best, distance := "", 3 // two slips of the finger, in less than half of the word; more make another word
	for _, c := range commands() {
		for _, name := range append([]string{c.name}, c.aliases...) {
			if d := near.Edits(strings.ToLower(word), name); d < distance && 2*d < len(name) {
				best, distance = name, d
			}
		}
	}
	if best == "" {
		return fmt.Errorf("there is no command %s; /help lists the commands", word)
	}
	return fmt.Errorf("there is no command %s; did you mean %s?", word, best)
}

// wrong says what a command takes.
func (s *session) wrong(name, takes string) error {
	i := slices.IndexFunc(commands(), func(c command) bool { return c.name == name })
	return fmt.Errorf("%s takes %s, for example: %s", name, takes, commands()[i].example)
}
