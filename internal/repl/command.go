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

// chapter is commands that belong together.
type chapter struct {
	title    string
	commands []command
}

// chapters is all commands, in the order of /help.
func chapters() []chapter {
	return []chapter{
		{"The last answer", []command{
			{name: "/sources", takes: "[N]", does: "its sources; the passage of N in its file", example: "/sources 2", run: (*session).sources},
			{name: "/why", takes: "[words]", does: "why it came out that way, as a picture or in words", example: "/why words", run: (*session).why},
			{name: "/graph", does: "the agent as a drawing, with the way it took", example: "/graph", run: (*session).graph},
			{name: "/retry", does: "ask the same question again", example: "/retry", run: (*session).retry},
			{name: "/edit", takes: "[TEXT]", does: "ask it in other words", example: "/edit How do I rotate keys?", run: (*session).edit},
			{name: "/compare", takes: "[MODE…]", does: "set answers side by side: two modes, or before /retry", example: "/compare strict open", run: (*session).compare},
		}},
		{"Conversations", []command{
			{name: "/new", does: "a new one", example: "/new", run: (*session).newThread},
			{name: "/threads", takes: "[TEXT]", does: "all of them, or those that hold a text", example: "/threads logs", run: (*session).threads},
			{name: "/thread", takes: "[ID]", does: "go to one", example: "/thread q3k7", run: (*session).goToThread},
			{name: "/history", does: "the steps of this one", example: "/history", run: (*session).history},
			{name: "/fork", takes: "N", does: "go back to a step of the history", example: "/fork 3", run: (*session).fork},
			{name: "/resume", takes: "[TEXT]", does: "go on, with an answer if one is awaited", example: "/resume yes", run: (*session).resume},
			{name: "/export", takes: "md|json [FILE]", does: "write this one down, with its sources", example: "/export md talk.md", run: (*session).export},
		}},
		{"How it answers", []command{
			{name: "/mode", takes: "[MODE]", does: "what to do when the evidence is weak", example: "/mode strict", run: (*session).setMode},
			{name: "/model", takes: "[NAME]", does: "which model answers; none is quotations", example: "/model llama3.2", run: (*session).model},
			{name: "/set", takes: "[NAME=VALUE]", does: "the settings of a question", example: "/set max_iterations=5", run: (*session).set},
		}},
		{"And", []command{
			{name: "/index", takes: "PATH", does: "put a folder or file into the knowledge base", example: "/index ~/notes", run: (*session).index},
			{name: "/review", takes: "[ID]", does: "answers that wait for a person; /review help", example: "/review k3x7", run: (*session).review},
			{name: "/stats", does: "what this session came to", example: "/stats", run: (*session).stats},
			{name: "/help", takes: "[COMMAND]", does: "this list", example: "/help /compare", run: (*session).help},
			{name: "/quit", aliases: []string{"/exit", ":q"}, does: "leave (also /exit, :q)", example: "/quit", run: (*session).quit},
		}},
	}
}

// commands is all commands.
func commands() []command {
	var all []command
	for _, c := range chapters() {
		all = append(all, c.commands...)
	}
	return all
}

// find is the command of a name or another of its names.
func find(word string) (command, bool) {
	for _, c := range commands() {
		if c.name == word || slices.Contains(c.aliases, word) {
			return c, true
		}
	}
	return command{}, false
}

// command runs one line that is a command.
func (s *session) command(ctx context.Context, line string) error {
	word, arg, _ := strings.Cut(line, " ")
	arg = strings.TrimSpace(arg)
	c, ok := find(word)
	if !ok {
		return unknown(word)
	}
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
	c, _ := find(name)
	return fmt.Errorf("%s takes %s, for example: %s", name, takes, c.example)
}
