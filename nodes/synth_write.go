package nodes

import (
	"context"
	"strings"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
)

// write asks the synthesizer. Without evidence there is nothing to write from, and no call is made; but in the mode open
// a model may say what it knows.
func (t *turn) write(ctx context.Context, q SynthesisRequest) (answer Synthesis, by player, err error) {
	mayKnow := q.Mode == state.ModeOpen && t.nodes.synthesis.model != nil
	if q.Route != state.RouteChitchat && len(q.Items) == 0 && !mayKnow {
		return Synthesis{Abstained: true}, player{}, nil
	}
	answer, by, err = play(ctx, t, RoleSynthesizer, t.nodes.synthesis, func(s Synthesizer) (Synthesis, error) {
		out := newTokenFilter(len(q.Items), func(event any) { t.stream(ctx, event) })
		q.Emit = out.write
		answer, err := s.Synthesize(ctx, q)
		if err == nil {
			out.flush()
		} else if t.streamed != "" {
			t.stream(ctx, Restart{})
		}
		return answer, err
	})
	t.update.Warnings = append(t.update.Warnings, answer.Notes...)
	return answer, by, err
}

// stream shows a piece of an answer that grows, and remembers it.
func (t *turn) stream(ctx context.Context, event any) {
	switch e := event.(type) {
	case Token:
		t.streamed += e.Text
	case Restart:
		t.streamed = ""
	}
	graph.Emit(ctx, event)
}

// show shows what is missing of the answer; where something else was streamed, the answer in its place.
func (t *turn) show(ctx context.Context, answer string) {
	rest, grown := strings.CutPrefix(answer, t.streamed)
	if !grown {
		t.stream(ctx, Restart{})
		rest = answer
	}
	if rest != "" {
		t.stream(ctx, Token{Text: rest})
	}
}
