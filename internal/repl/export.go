package repl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/state"
)

// exported is a conversation as /export json writes it. Card numbers in it are masked.
type exported struct {
	Thread string `json:"thread"`
	Turns  []turn `json:"turns"` // oldest first
}

// turn is one question of a conversation with what came of it.
type turn struct {
	Question   string           `json:"question"`
	AskedAt    time.Time        `json:"asked_at,omitzero"`
	Mode       state.AnswerMode `json:"mode,omitzero"`
	Status     state.Status     `json:"status,omitzero"` // "" while there is no answer
	Answer     string           `json:"answer"`
	Confidence *float64         `json:"confidence,omitempty"` // 0–1
	Citations  []cited          `json:"citations"`
	Path       []string         `json:"path,omitempty"`
	Warnings   []string         `json:"warnings,omitempty"`
	// Pruned says that only the words are left: what the answer cites was removed with its checkpoints.
	Pruned bool `json:"pruned,omitzero"`
}

// cited is one source of an answer. The quote stands verbatim in the lines, which are 1-based and inclusive.
type cited struct {
	N         int    `json:"n"`
	Path      string `json:"path"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Page      string `json:"page,omitzero"`
	Quote     string `json:"quote"`
}

// export writes the conversation as Markdown or JSON, to a new file or on the screen.
func (s *session) export(ctx context.Context, arg string) error {
	format, file, _ := strings.Cut(arg, " ")
	file = expandHome(unquote(strings.TrimSpace(file)))
	if format != "md" && format != "json" {
		return s.wrong("/export", "md or json, and a file if you like")
	}
	turns, err := s.turns(ctx)
	if err != nil {
		return err
	}
	if len(turns) == 0 {
		return s.nothingAsked()
	}
	text := clean(exportMarkdown(s.thread, turns)) // somebody will look at it in a terminal
	if format == "json" {
		if text, err = exportJSON(exported{s.thread, turns}); err != nil {
			return err
		}
	}
	if file == "" {
		s.screen.println(strings.TrimRight(clean(text), "\n"))
		return nil
	}
	if err := writeNew(file, text); err != nil {
		return err
	}
	s.screen.println(cleanLine(fmt.Sprintf("%s written to %s.", count(len(turns), "question"), file)))
	return nil
}

func exportJSON(e exported) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(e)
	return b.String(), err
}

// writeNew writes a file that does not exist yet: a conversation is no reason to lose another file.
func writeNew(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; name another file", file)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

// turns reads the questions of the present branch from the history. Of those whose checkpoints were pruned the words are
// left.
func (s *session) turns(ctx context.Context) ([]turn, error) {
	thread := s.cfg.Agent.Thread(s.thread)
	var list []turn
	var oldest state.AgentState
	for c, err := range thread.History(ctx) {
		if err != nil {
			return nil, err
		}
		if !c.Current || !c.Done && len(list) > 0 { // of an earlier question only the end counts
			continue
		}
		_, at, err := thread.At(ctx, c.Seq)
		if errors.Is(err, graph.ErrNoCheckpoint) { // pruned meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(list) == 0 || at.Run != oldest.Run {
			list, oldest = append(list, turnOf(at)), at
		}
	}
	slices.Reverse(list)
	return append(wordsBefore(oldest), list...), nil
}

// turnOf is a turn as the state at its end tells it.
func turnOf(s state.AgentState) turn {
	t := turn{
		Question: mask.Cards(s.Question), AskedAt: s.StartedAt, Mode: s.Settings.AnswerMode, Answer: mask.Cards(s.Answer),
		Citations: []cited{}, Path: s.Path,
	}
	for _, w := range s.Warnings {
		t.Warnings = append(t.Warnings, mask.Cards(w))
	}
	if !s.Finished() {
		t.Answer = ""
		return t
	}
	t.Status = s.Status
	if s.Confidence != nil {
		t.Confidence = &s.Confidence.Total
	}
	for _, c := range s.Citations {
		t.Citations = append(t.Citations, cited{c.N, c.Path, c.StartLine, c.EndLine, c.Page, mask.Cards(c.Quote)})
	}
	return t
}

// wordsBefore are the turns before that of a state, as the conversation remembers them.
func wordsBefore(s state.AgentState) []turn {
	messages := s.Messages
	if s.Finished() && len(messages) >= 2 {
		messages = messages[:len(messages)-2]
	}
	var list []turn
	for i := 0; i+1 < len(messages); i += 2 {
		list = append(list, turn{
			Question: mask.Cards(messages[i].Content), Answer: mask.Cards(messages[i+1].Content), Citations: []cited{}, Pruned: true,
		})
	}
	return list
}
