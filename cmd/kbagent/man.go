package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/manpage"
)

func newMan(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "Write the manual pages",
		Long: `man writes the manual page of every command into a folder, which is made when it is missing; without a folder it prints
the page of kbagent itself, with all settings. Pages that are there already are replaced.`,
		Example: `  kbagent man | man -l -
  kbagent man ~/.local/share/man/man1    # then: man kbagent-ask`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &usageError{fmt.Errorf("%s takes one folder (see %[1]s --help)", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			info, err := manInfo()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return manpage.Write(std.out, cmd.Root(), info)
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			n, err := writePages(args[0], cmd.Root(), info)
			if err == nil {
				_, err = fmt.Fprintf(std.out, "%d pages in %s\n", n, args[0])
			}
			return err
		},
	}
}

// manInfo is what the help of the commands does not say.
func manInfo() (manpage.Info, error) {
	defaults, err := config.Load(config.Options{EnvFile: os.DevNull, Environ: []string{}})
	if err != nil {
		return manpage.Info{}, err
	}
	settings := manpage.Section{Title: "ENVIRONMENT", Text: "Flags count more than these variables, and those more than the file .env. " +
		"A variable that begins with KB_AGENT_ and is none of these is an error."}
	for _, v := range defaults.Values() {
		text := v.Description + "."
		if v.Default != "" {
			text += " Default: " + v.Default
		}
		settings.Entries = append(settings.Entries, manpage.Entry{Term: v.Name, Text: text})
	}
	return manpage.Info{Version: version, Sections: []manpage.Section{settings, {
		Title: "FILES", Entries: []manpage.Entry{
			{Term: ".env", Text: "Settings of the working directory, as NAME=value lines; kbagent init writes it."},
			{Term: filepath.ToSlash(filepath.Join(".kbagent", databaseFile)), Text: "The index and the conversations."},
			{Term: ".kbagent/audit.jsonl", Text: "Every decision of every run, one JSON object a line."},
		},
	}, {
		Title: "EXIT STATUS", Entries: []manpage.Entry{
			{Term: fmt.Sprint(exitOK), Text: "All is well."},
			{Term: fmt.Sprint(exitError), Text: "An error; it stands on stderr."},
			{Term: fmt.Sprint(exitUsage), Text: "The call was wrong."},
			{Term: fmt.Sprint(exitAbstained), Text: "The agent found no answer and says so (ask, resume)."},
			{Term: fmt.Sprint(exitWaiting), Text: "The run waits for answers (ask, resume)."},
		},
	}}}, nil
}

// writePages writes the pages of a command and all below it; n counts them.
func writePages(dir string, cmd *cobra.Command, info manpage.Info) (n int, err error) {
	if err := writePage(filepath.Join(dir, manpage.Name(cmd)+".1"), cmd, info); err != nil {
		return 0, err
	}
	n = 1
	for _, sub := range manpage.Visible(cmd) {
		more, err := writePages(dir, sub, info)
		if n += more; err != nil {
			return n, err
		}
	}
	return n, nil
}

func writePage(path string, cmd *cobra.Command, info manpage.Info) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(manpage.Write(f, cmd, info), f.Close())
}
