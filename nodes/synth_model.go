package nodes

import (
	"context"
	"errors"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/state"
)

// modelSynthesizer asks the model for the answer, streaming.
type modelSynthesizer struct{ m *Model }

func (s modelSynthesizer) Synthesize(ctx context.Context, q SynthesisRequest) (Synthesis, error) {
	delimiter := s.m.fence()
	asked, data := s.m.prompts.get(promptSynthesizer), any(newSynthesizerData(q, delimiter))
	if q.Route == state.RouteChitchat {
		asked, data = s.m.prompts.get(promptChitchat), chitchatData{Question: q.Question, fencing: newFencing(delimiter)}
	}
	msgs, err := asked.messages(data, history(q.Messages, conversationTurns, delimiter))
	if err != nil {
		return Synthesis{}, err
	}
	stream := llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		if q.Emit != nil {
			q.Emit(string(chunk))
		}
		return nil
	})
	choice, err := s.m.generate(ctx, asked.call(RoleSynthesizer), msgs, stream)
	if err != nil {
		return Synthesis{}, err
	}
	answer := Synthesis{Text: content(choice)}
	if strings.EqualFold(choice.StopReason, "length") {
		answer.Notes = append(answer.Notes, "the model's answer was cut by its length limit")
		answer.Text += " […]"
	}
	if strings.TrimSpace(answer.Text) == "" {
		return Synthesis{}, errors.New("the model sent an empty answer")
	}
	return answer, nil
}
