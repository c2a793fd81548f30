package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/internal/near"
	"github.com/kbagent/kbagent/nodes"
)

// loadPrompts reads the folder that KB_AGENT_PROMPTS names; without one the prompts are the built-in ones.
func loadPrompts(folder string) (nodes.Prompts, error) {
	if folder == "" {
		return nodes.Prompts{}, nil
	}
	p, err := nodes.LoadPrompts(os.DirFS(folder))
	if err != nil {
		return p, fmt.Errorf("KB_AGENT_PROMPTS=%s: %w", folder, err)
	}
	return p, nil
}

// promptLine is a prompt as `prompts list --json` prints it.
type promptLine struct {
	Prompt   string `json:"prompt"`
	Version  string `json:"version"`
	Replaced bool   `json:"replaced"` // by a file of the folder KB_AGENT_PROMPTS
}

func newPrompts(g *global, std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prompts",
		Short: "List, show, check and export what a model is asked with",
		Long: `Each role of the model is asked with a template. Files NAME.tmpl in the folder KB_AGENT_PROMPTS replace the built-in
ones. A template that lets text of documents out of its fence, or that cannot be filled in, is refused at the start.`,
		Example: `  kbagent prompts list
  kbagent prompts export my-prompts
  kbagent prompts check my-prompts`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPromptsList(g, std), newPromptsShow(g, std), newPromptsCheck(std), newPromptsExport(std))
	return cmd
}

// promptsInUse are those that a question would be asked with.
func promptsInUse(g *global) (nodes.Prompts, error) {
	cfg, err := loadConfig(g)
	if err != nil {
		return nodes.Prompts{}, err
	}
	return loadPrompts(cfg.Prompts)
}

func newPromptsList(g *global, std streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the prompts with their versions", Example: "  kbagent prompts list --json", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			prompts, err := promptsInUse(g)
			if err != nil {
				return err
			}
			if asJSON {
				lines := []promptLine{}
				for _, p := range prompts.List() {
					lines = append(lines, promptLine{p.Name, p.Version, p.Replaced})
				}
				return printJSON(std.out, struct {
					Prompts []promptLine `json:"prompts"`
				}{lines})
			}
			t := newTable("PROMPT", "VERSION", "FROM")
			for _, p := range prompts.List() {
				from := "built in"
				if p.Replaced {
					from = "KB_AGENT_PROMPTS"
				}
				t.row(p.Name, p.Version, from)
			}
			return t.print(std.out)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newPromptsShow(g *global, std streams) *cobra.Command {
	var fields bool
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Print the template of a prompt, or what it may use",
		Example: `  kbagent prompts show grader
  kbagent prompts show grader --fields`,
		Args: exactArgs("the name of a prompt"),
		RunE: func(_ *cobra.Command, args []string) error {
			prompts, err := promptsInUse(g)
			if err != nil {
				return err
			}
			p, err := findPrompt(prompts, args[0])
			if err != nil {
				return err
			}
			if fields {
				return printFields(std.out, p)
			}
			_, err = io.WriteString(std.out, mask.Terminal(p.Source))
			return err
		},
	}
	cmd.Flags().BoolVar(&fields, "fields", false, "print what the template may use")
	return cmd
}

func findPrompt(prompts nodes.Prompts, name string) (nodes.PromptInfo, error) {
	var names []string
	for _, p := range prompts.List() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	hint := "`kbagent prompts list` lists them"
	if n := near.Nearest(name, names, 2); n != "" {
		hint = fmt.Sprintf("did you mean %q?", n)
	}
	return nodes.PromptInfo{}, &usageError{fmt.Errorf("there is no prompt %q; %s", name, hint)}
}

func printFields(w io.Writer, p nodes.PromptInfo) error {
	t := newTable("FIELD", "TYPE", "WHERE", "MEANING")
	for _, f := range p.Fields {
		where := "anywhere"
		if f.Document {
			where = "in the fence"
		}
		t.row(f.Name, f.Type, where, f.Meaning)
	}
	return t.print(w)
}

func newPromptsCheck(std streams) *cobra.Command {
	return &cobra.Command{
		Use: "check DIR", Short: "Check the templates in a folder without using them",
		Long:    "check says all that is wrong with the templates in a folder, with file and line, or which prompts they replace.",
		Example: "  kbagent prompts check my-prompts",
		Args:    exactArgs("a folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			prompts, err := nodes.LoadPrompts(os.DirFS(args[0]))
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			replaced := 0
			for _, p := range prompts.List() {
				if !p.Replaced {
					continue
				}
				replaced++
				if _, err := fmt.Fprintf(std.out, "%s: %s\n", p.Name, p.Version); err != nil {
					return err
				}
			}
			if replaced == 0 {
				_, err = fmt.Fprintf(std.out, "%s holds no templates; all prompts are the built-in ones\n", args[0])
			}
			return err
		},
	}
}

func newPromptsExport(std streams) *cobra.Command {
	return &cobra.Command{
		Use: "export DIR", Short: "Write the built-in templates into a folder, as a start for your own",
		Long: `export writes the built-in templates into a folder, which it makes when there is none. Files that are there already
stay as they are, and then nothing is written. Delete the templates that you do not change: those that stay replace the
built-in ones also after an update of kbagent.`,
		Example: "  kbagent prompts export my-prompts",
		Args:    exactArgs("a folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := exportPrompts(args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(std.out, "wrote %d templates to %s; KB_AGENT_PROMPTS=%s uses them\n", len(nodes.Prompts{}.List()), args[0], args[0])
			return err
		},
	}
}

func exportPrompts(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	all := nodes.Prompts{}.List()
	for _, p := range all {
		switch _, err := os.Lstat(promptFile(folder, p)); {
		case err == nil:
			return fmt.Errorf("%s is there already; nothing was written", promptFile(folder, p))
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	for _, p := range all {
		if err := os.WriteFile(promptFile(folder, p), []byte(p.Source), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func promptFile(folder string, p nodes.PromptInfo) string {
	return filepath.Join(folder, p.Name+".tmpl")
}
