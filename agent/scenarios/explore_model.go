package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/scenario/explore"
)

// standIn plays every role of the model: each of its replies is a choice.
type standIn struct{ *cosmos }

// Call implements llms.Model; nobody uses it.
func (m standIn) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

var (
	errDown = errors.New("the provider is down")
	errCut  = errors.New("the stream was cut")
)

// GenerateContent implements llms.Model. The attempt to repair a reply has the outcome of the first one: a reply that stays
// malformed, or one that is mended.
func (m standIn) GenerateContent(ctx context.Context, msgs []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var opts llms.CallOptions
	for _, o := range options {
		o(&opts)
	}
	call, _ := nodes.CallFrom(ctx)
	option := explore.ChooseOnce(ctx, call.Role, m.options(call.Role)...)
	text := m.text(call, option, fmt.Sprint(msgs))
	if opts.StreamingFunc != nil && text != "" {
		if err := opts.StreamingFunc(ctx, []byte(text)); err != nil {
			return nil, err
		}
	}
	switch option {
	case down:
		return nil, errDown
	case timesOut:
		return nil, context.DeadlineExceeded
	case cut:
		return nil, errCut
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text, StopReason: "stop", GenerationInfo: map[string]any{"TotalTokens": 1}}}}, nil
}

var (
	fencedPassage = regexp.MustCompile(`FENCE BEGIN \d`)
	numberedClaim = regexp.MustCompile(`(?m)^\d+\. .+$`)
)

// garbage is a reply that no role can read.
const garbage = "lorem ipsum"

// text is a reply.
func (m standIn) text(call nodes.Call, option, prompt string) string {
	switch {
	case option == malformed, option == "mended" && !call.Repair:
		return garbage
	case option == empty, option == down, option == timesOut:
		return ""
	case option == cut:
		return "To delete"
	}
	switch call.Role {
	case nodes.RoleRouter:
		return routed(option)
	case nodes.RolePlanner:
		return planned(option, prompt)
	case nodes.RoleGrader, nodes.RoleReranker:
		return grades(option, len(fencedPassage.FindAllString(prompt, -1)))
	case nodes.RoleSynthesizer:
		return answers[option]
	default:
		return verdicts(option, prompt)
	}
}

func routed(option string) string {
	reply := map[string]any{
		"route": "search", "confidence": 0.9, "category": "how_to", "query": explored,
		"sub_queries": []string{"How do I delete a directory?", "What does rm remove?"}, "keywords": []string{"delete", "directory"},
	}
	switch option {
	case "chitchat":
		reply["route"] = "chitchat"
	case "vague":
		reply["query"], reply["sub_queries"], reply["keywords"] = vagueQuery, []string{}, []string{}
	}
	return encoded(reply)
}

// vagueQuery holds no word that could be searched for.
const vagueQuery = "What is it?"

// plannedQuery is what every search of the model's plan asks for, with a number behind it.
const plannedQuery = "planned search"

// planned is a plan.
func planned(option, prompt string) string {
	made := strings.Count(prompt, plannedQuery)
	name, args := "keyword_search", map[string]any{"query": fmt.Sprint(plannedQuery, " ", made)}
	switch option {
	case "searches deeper":
		args["query"], args["k"] = explored, deeper
		if strings.Contains(prompt, vagueQuery) {
			args["query"] = vagueQuery
		}
	case "unknown tool":
		name = "teleport"
	case "repeats a search":
		if made == 0 {
			return garbage // there is none
		}
		args["query"] = plannedQuery + " 0"
	}
	return encoded([]any{map[string]any{"name": name, "args": args}})
}

// Grades at the thresholds of the default settings: what is exactly enough, and what just is not.
const (
	gradeGood = 0.7
	gradeNear = 0.69
	gradeKept = 0.3
	gradeBad  = 0.29
)

func grades(option string, n int) string {
	first, others := gradeGood, gradeGood
	switch option {
	case "all middling":
		first, others = gradeNear, gradeNear
	case "all bad":
		first, others = gradeBad, gradeBad
	case "one good":
		others = gradeBad
	case "one middling":
		first, others = gradeKept, gradeBad
	case "too few":
		n--
	case "another scale":
		first, others = 7, 7
	}
	list := slices.Repeat([]float64{others}, n)
	if n > 0 {
		list[0] = first
	}
	return encoded(list)
}

// answers are what the synthesizer writes.
var answers = map[string]string{
	"cites":          "To delete a directory use rm with the option r [1]. The files are gone for ever.",
	"cites nothing":  "To delete a directory use rm with the option r. The files are gone for ever.",
	"claims nothing": "Which directory do you mean?",
	"abstains":       "I could not find an answer to this in the knowledge base.",
}

func verdicts(option, prompt string) string {
	_, claims, _ := strings.Cut(prompt, "BEGIN CLAIMS")
	claims, _, _ = strings.Cut(claims, "END CLAIMS")
	n := len(numberedClaim.FindAllString(strings.ReplaceAll(claims, `\n`, "\n"), -1))
	type verdict struct {
		Claim     int    `json:"claim"`
		Verdict   string `json:"verdict"`
		Passage   int    `json:"passage"`
		Quote     string `json:"quote"`
		Reasoning string `json:"reasoning"`
	}
	list := []verdict{}
	for i := 1; i <= n; i++ {
		v := verdict{Claim: i, Verdict: "UNSUPPORTED"}
		switch {
		case option == "all hold", i == 1:
			v = verdict{Claim: i, Verdict: "SUPPORTED", Passage: 1, Quote: commonWords}
		case option == "the others hold in part":
			v = verdict{Claim: i, Verdict: "PARTIALLY_SUPPORTED", Passage: 1, Quote: commonWords}
		case option == "a quote that stands nowhere":
			v = verdict{Claim: i, Verdict: "SUPPORTED", Passage: 1, Quote: "the moon"}
		}
		list = append(list, v)
	}
	if option == "a claim is left out" {
		list = list[1:]
	}
	return encoded(map[string]any{"verdicts": list, "suggested_corrections": []string{}})
}

func encoded(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers encode
	}
	return string(data)
}
