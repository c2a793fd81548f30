package manpage

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// An Entry is a term with what it means.
type Entry struct{ Term, Text string }

// A Section is an additional part of a page: text, then entries. Both may be empty.
type Section struct {
	Title   string
	Text    string
	Entries []Entry
}

// Info is what the help does not hold.
type Info struct {
	// Version stands at the foot of each page; it may be empty.
	Version string
	// Sections are added to the page of the root command, in front of its last section, SEE ALSO.
	Sections []Section
}

// Name is the name of the page of a command, without the section: "kbagent-threads-show".
func Name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// Write writes the page of one command in section 1. The page depends on the help and info only, so that the same
// program always writes the same page. Its error is that of w.
func Write(w io.Writer, cmd *cobra.Command, info Info) error {
	cmd.InitDefaultHelpFlag()
	p := &page{}
	p.head(cmd, info.Version)
	p.section(Section{Title: "DESCRIPTION", Text: description(cmd)})
	p.section(Section{Title: "COMMANDS", Entries: commands(cmd)})
	p.section(Section{Title: "OPTIONS", Entries: options(cmd.NonInheritedFlags())})
	p.section(Section{Title: "OPTIONS OF ALL COMMANDS", Entries: options(cmd.InheritedFlags())})
	p.examples(cmd.Example)
	if !cmd.HasParent() {
		for _, s := range info.Sections {
			p.section(s)
		}
	}
	p.seeAlso(cmd)
	_, err := io.WriteString(w, p.String())
	return err
}

func description(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

func commands(cmd *cobra.Command) (list []Entry) {
	for _, sub := range Visible(cmd) {
		list = append(list, Entry{sub.CommandPath(), sub.Short + "."})
	}
	return list
}

// Visible are the subcommands that the help shows, in its order; without cobra's own help command.
func Visible(cmd *cobra.Command) (list []*cobra.Command) {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			list = append(list, sub)
		}
	}
	return list
}

func options(flags *pflag.FlagSet) (list []Entry) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		term := "--" + f.Name
		if f.Shorthand != "" {
			term = "-" + f.Shorthand + ", " + term
		}
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			term += " " + value
		}
		list = append(list, Entry{term, usage + ordinary(f)})
	})
	return list
}

// ordinary is a flag's default where its usage does not tell it.
func ordinary(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "false", "0", "[]", "0s":
		return ""
	}
	return fmt.Sprintf(" (default %s)", f.DefValue)
}
