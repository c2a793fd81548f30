package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/internal/mask"
)

func newState(g *global, std streams) *cobra.Command {
	var (
		at     int64
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "state THREAD",
		Short: "Print what the agent knows on a conversation, now or at a checkpoint",
		Example: `  kbagent state ops
  kbagent state ops --at 4
  kbagent state ops --json | jq .state.context`,
		Args: exactArgs("a conversation"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withArchive(cmd.Context(), g, std, func(a *archive) error {
				t, err := a.thread(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if !cmd.Flags().Changed("at") {
					head, err := t.Head(cmd.Context())
					if err != nil {
						return err
					}
					at = head.Seq
				}
				c, s, err := t.At(cmd.Context(), at)
				if err != nil {
					return noCheckpoint(err, args[0], at)
				}
				raw, err := json.Marshal(s)
				if err != nil {
					return err
				}
				if raw, err = maskJSON(raw); err != nil {
					return err
				}
				if asJSON {
					return printJSON(std.out, struct {
						Thread     string           `json:"thread"`
						Checkpoint graph.Checkpoint `json:"checkpoint"`
						State      json.RawMessage  `json:"state"`
					}{args[0], c, raw})
				}
				var out bytes.Buffer
				if err := json.Indent(&out, raw, "", "  "); err != nil {
					return err
				}
				_, err = fmt.Fprintln(std.out, mask.Terminal(out.String()))
				return err
			})
		},
	}
	cmd.Flags().Int64Var(&at, "at", 0, "number of the checkpoint (default the last one)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the checkpoint, too")
	return cmd
}

// noCheckpoint says where the numbers are listed.
func noCheckpoint(err error, thread string, seq int64) error {
	if errors.Is(err, graph.ErrNoCheckpoint) {
		return fmt.Errorf("%s has no checkpoint %s; `kbagent history %s` lists them: %w", thread, strconv.FormatInt(seq, 10), thread, graph.ErrNoCheckpoint)
	}
	return err
}

// jsonString is a string literal of JSON.
var jsonString = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// maskJSON masks card numbers in the strings of a JSON value; its numbers stay as they are.
func maskJSON(data []byte) ([]byte, error) {
	var failed error
	masked := jsonString.ReplaceAllFunc(data, func(literal []byte) []byte {
		var s string
		if err := json.Unmarshal(literal, &s); err != nil {
			failed = err
			return literal
		}
		safe := mask.Cards(s)
		if safe == s {
			return literal
		}
		out, err := json.Marshal(safe)
		if err != nil {
			failed = err
		}
		return out
	})
	return masked, failed
}
