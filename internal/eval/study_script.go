package eval

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// studyScript is a model that knows the truth about one question and errs at given rates, for one run. It is safe for
// concurrent use.
type studyScript struct {
	set      studySet
	question studyQuestion
	rates    StudyRates
	seed     uint64

	mu     sync.Mutex
	calls  map[string]int // by role
	faults []error
}

// The grades of the script.
const (
	studyRelevant   = 0.9
	studyIrrelevant = 0.1
)

// Call implements llms.Model; the agent does not use it.
func (s *studyScript) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, s, prompt, options...)
}

// GenerateContent implements llms.Model.
func (s *studyScript) GenerateContent(ctx context.Context, msgs []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	reply, err := s.reply(ctx, msgs)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.faults = append(s.faults, err)
		return nil, err
	}
	asked := 0
	for _, m := range msgs {
		asked += rules.Tokens(studyText(m))
	}
	said := rules.Tokens(reply)
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{
		Content: reply, StopReason: "stop",
		GenerationInfo: map[string]any{"PromptTokens": asked, "CompletionTokens": said, "TotalTokens": asked + said},
	}}}, nil
}

// fault is what the script could not do in its run: a defect of the study.
func (s *studyScript) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.faults...)
}

func (s *studyScript) reply(ctx context.Context, msgs []llms.MessageContent) (string, error) {
	call, _ := nodes.CallFrom(ctx)
	if call.Repair || len(msgs) == 0 {
		return "", fmt.Errorf("the script cannot mend a reply of the %s", call.Role)
	}
	asked, err := readStudyPrompt(studyText(msgs[len(msgs)-1]))
	if err != nil {
		return "", fmt.Errorf("the prompt of the %s: %w", call.Role, err)
	}
	d := studyDraws{s.seed, s.question.id, call.Role, s.count(call.Role)}
	switch call.Role {
	case nodes.RoleGrader:
		return s.grade(asked, d)
	case nodes.RoleSynthesizer:
		return s.write(asked, d)
	case nodes.RoleVerifier:
		return s.verify(asked, d)
	}
	return "", fmt.Errorf("the script plays no %q", call.Role)
}

// count is how often a role was played in this run, this time included.
func (s *studyScript) count(role string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[role]++
	return s.calls[role]
}

// grade tells the passage that answers from all others, except for errors.
func (s *studyScript) grade(asked studyPrompt, d studyDraws) (string, error) {
	grades := make([]float64, len(asked.items))
	for i, item := range asked.items {
		relevant := s.relevant(item)
		if d.draw(item.path) < s.rates.Grader {
			relevant = !relevant
		}
		grades[i] = studyIrrelevant
		if relevant {
			grades[i] = studyRelevant
		}
	}
	reply, err := json.Marshal(grades)
	return string(reply), err
}

func (s *studyScript) relevant(item studyItem) bool {
	return s.question.answerable() && item.path == s.question.gold
}

// irrelevant is how many items of a prompt do not answer.
func (s *studyScript) irrelevant(asked studyPrompt) int {
	n := 0
	for _, item := range asked.items {
		if !s.relevant(item) {
			n++
		}
	}
	return n
}

// write answers: rightly from the passage that answers, wrongly at the rate of hallucinations, which irrelevant items
// raise; without that passage it abstains or invents.
func (s *studyScript) write(asked studyPrompt, d studyDraws) (string, error) {
	cited := 1 + asked.find(s.relevant)
	switch {
	case cited > 0 && d.draw("hallucinates") >= s.rates.Hallucination+s.rates.Distraction*float64(s.irrelevant(asked)):
		right := s.question.answers[int(d.draw("answer")*float64(len(s.question.answers)))]
		return fmt.Sprintf("%s [%d]", s.question.sentence(right), cited), nil
	case cited == 0 && d.draw("abstains") < s.rates.Abstains:
		return state.DefaultAbstention, nil
	}
	wrong, ok := s.set.decoy(s.question, d.draw("decoy"))
	if !ok {
		return "", errors.New("no other question has another answer")
	}
	return fmt.Sprintf("%s [%d]", s.question.sentence(wrong), max(cited, 1)), nil
}

// studyVerdict is one verdict of the verifier's reply.
type studyVerdict struct {
	Claim     int    `json:"claim"`
	Verdict   string `json:"verdict"`
	Passage   int    `json:"passage"`
	Quote     string `json:"quote"`
	Reasoning string `json:"reasoning"`
}

// verify finds out whether a claim is true and the passage that answers is there, except for errors. A claim that it takes
// for supported is quoted verbatim, rightly or not.
func (s *studyScript) verify(asked studyPrompt, d studyDraws) (string, error) {
	if len(asked.items) == 0 {
		return "", errors.New("no passage to verify with")
	}
	at := asked.find(s.relevant)
	var reply struct {
		Verdicts    []studyVerdict `json:"verdicts"`
		Corrections []string       `json:"suggested_corrections"`
	}
	for i, claim := range asked.claims {
		v := studyVerdict{Claim: i + 1, Verdict: string(state.ClaimUnsupported), Reasoning: "simulated"}
		supported := at >= 0 && s.question.claimed(claim)
		if d.draw(fmt.Sprint(i)) < s.rates.Verifier {
			supported = !supported
		}
		if supported {
			v.Verdict, v.Passage = string(state.ClaimSupported), max(at, 0)+1
			v.Quote = asked.items[v.Passage-1].quote()
		}
		reply.Verdicts = append(reply.Verdicts, v)
	}
	data, err := json.Marshal(reply)
	return string(data), err
}

// studyDraws are the draws of one call.
type studyDraws struct {
	seed     uint64
	question string
	role     string
	call     int
}

// draw is a number of [0, 1) that depends on nothing else than the call and what it is for.
func (d studyDraws) draw(what string) float64 {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%d\x00%s\x00%s\x00%d\x00%s", d.seed, d.question, d.role, d.call, what)))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

func studyText(m llms.MessageContent) string {
	var b strings.Builder
	for _, part := range m.Parts {
		if t, ok := part.(llms.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}
