package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/index"
)

func newCollections(g *global, std streams) *cobra.Command {
	var asJSON bool
	list := func(cmd *cobra.Command, _ []string) error { return listCollections(cmd.Context(), g, std, asJSON) }
	cmd := &cobra.Command{
		Use:   "collections",
		Short: "List the named parts of the knowledge base, and delete names",
		Long: `A collection is a named part of the knowledge base: all files in the folders and files that "index --collection" put into
it. Collections may overlap. Files that are in none are in the collection "default". search, ask and chat take
--collection NAME[,NAME] and look nowhere else.`,
		Example: `  kbagent index --collection ops ~/runbooks
  kbagent collections
  kbagent collections delete ops`,
		Args: noArgs,
		RunE: list,
	}
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List the collections", Example: "  kbagent collections list --json", Args: noArgs, RunE: list},
		newCollectionsDelete(g, std, &asJSON),
	)
	return cmd
}

func newCollectionsDelete(g *global, std streams, asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use:   "delete COLLECTION…",
		Short: "Delete names of collections; their files stay in the knowledge base",
		Long: `delete removes the names. The files stay in the knowledge base, in "default" where no other collection has them;
"index --remove PATH" takes files out.`,
		Example: "  kbagent collections delete ops",
		Args:    someArgs("at least one collection"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := openBase(cmd.Context(), g, std)
			if err != nil {
				return err
			}
			if err = errors.Join(b.index.Forget(cmd.Context(), args), b.close()); err != nil {
				return err
			}
			if *asJSON {
				return printJSON(std.out, struct {
					Deleted []string `json:"deleted"`
				}{args})
			}
			_, err = fmt.Fprintf(std.out, "deleted %s; the files stay in the knowledge base\n", strings.Join(args, ", "))
			return err
		},
	}
}

func listCollections(ctx context.Context, g *global, std streams, asJSON bool) error {
	b, err := openBase(ctx, g, std)
	if err != nil {
		return err
	}
	list, err := b.index.Collections(ctx)
	if err = errors.Join(err, b.close()); err != nil {
		return err
	}
	if asJSON {
		return printJSON(std.out, struct {
			Collections []index.Collection `json:"collections"`
		}{list})
	}
	return printCollections(std.out, list)
}

func printCollections(w io.Writer, list []index.Collection) error {
	t := newTable("COLLECTION", "FILES", "PASSAGES", "PLACES")
	for _, c := range list {
		places := strings.Join(c.Places, ", ")
		if c.Name == index.DefaultCollection {
			places = "(what is in no other collection)"
		}
		t.row(c.Name, fmt.Sprint(c.Files), fmt.Sprint(c.Passages), places)
	}
	return t.print(w)
}

// collectionNames complete to the collections that there are.
func collectionNames(ctx context.Context, b *base) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		list, err := b.index.Collections(ctx)
		if err != nil {
			yield("", err)
			return
		}
		for _, c := range list {
			if !yield(c.Name, nil) {
				return
			}
		}
	}
}
