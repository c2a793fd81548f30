package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
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

// replies are what a role can say when all is well.
var replies = map[string][]string{
	nodes.RoleRouter:      {"search", "chitchat"},
	nodes.RolePlanner:     {"searches"},
	nodes.RoleGrader:      {"all good", "all middling", "all bad", "one good"},
	nodes.RoleSynthesizer: {"cites", "abstains"},
	nodes.RoleVerifier:    {"all hold", "one holds"},
	nodes.RoleReranker:    {"all good", "one good"},
}

// faults are what a role can do besides.
var faults = map[string][]string{
	nodes.RoleRouter:      {"malformed", "down"},
	nodes.RolePlanner:     {"repeats a search", "malformed", "down"},
	nodes.RoleGrader:      {"malformed", "down"},
	nodes.RoleSynthesizer: {"cites nothing", "nothing", "cut", "down"},
	nodes.RoleVerifier:    {"malformed", "down"},
	nodes.RoleReranker:    {"malformed", "down"},
}

// GenerateContent implements llms.Model.
func (m standIn) GenerateContent(ctx context.Context, msgs []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var opts llms.CallOptions
	for _, o := range options {
		o(&opts)
	}
	call, _ := nodes.CallFrom(ctx)
	good := replies[call.Role]
	if call.Repair {
		good = good[:1] // what a repaired reply says is what a first one could have said
	}
	option := explore.Choose(ctx, call.Role, m.options(good, faults[call.Role]...)...)
	text := m.text(call.Role, option, fmt.Sprint(msgs))
	switch option {
	case "down":
		m.said(ModelReply{Role: call.Role, Error: errDown.Error()})
		return nil, errDown
	case "cut":
		text = "To delete"
	}
	m.said(ModelReply{Role: call.Role, Reply: text, Cut: option == "cut"})
	if opts.StreamingFunc != nil && text != "" {
		if err := opts.StreamingFunc(ctx, []byte(text)); err != nil {
			return nil, err
		}
	}
	if option == "cut" {
		return nil, errors.New("the stream was cut")
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text, StopReason: "stop", GenerationInfo: map[string]any{"TotalTokens": 1}}}}, nil
}

var (
	fencedPassage = regexp.MustCompile(`FENCE BEGIN \d`)
	numberedClaim = regexp.MustCompile(`(?m)^\d+\. .+$`)
)

// text is a reply.
func (m standIn) text(role, option, prompt string) string {
	switch role {
	case nodes.RoleRouter:
		reply, _ := json.Marshal(map[string]any{ //nolint:errchkjson // strings and numbers encode
			"route": option, "confidence": 0.9, "category": "how_to", "query": explored,
			"sub_queries": []string{"How do I delete a directory?", "What does rm remove?"}, "keywords": []string{"delete", "directory"},
		})
		if option != "malformed" {
			return string(reply)
		}
	case nodes.RolePlanner:
		switch option {
		case "searches":
			return fmt.Sprintf(`[{"name":"keyword_search","args":{"query":"delete directory %d"}}]`, strings.Count(prompt, `delete directory`))
		case "repeats a search":
			return `[{"name":"keyword_search","args":{"query":"delete directory 0"}}]`
		}
	case nodes.RoleGrader, nodes.RoleReranker:
		return grades(option, len(fencedPassage.FindAllString(prompt, -1)))
	case nodes.RoleSynthesizer:
		switch option {
		case "cites":
			return "To delete a directory use rm with the option r [1]. The files are gone for ever."
		case "cites nothing":
			return "To delete a directory use rm."
		case "abstains":
			return "I could not find an answer to this in the knowledge base."
		}
		return ""
	case nodes.RoleVerifier:
		return verdicts(option, prompt)
	}
	return "lorem ipsum"
}

func grades(option string, n int) string {
	score := map[string]string{"all good": "0.9", "all middling": "0.5", "all bad": "0.1", "one good": "0.1"}[option]
	if score == "" {
		return "lorem ipsum"
	}
	list := make([]string, n)
	for i := range list {
		list[i] = score
	}
	if option == "one good" && n > 0 {
		list[0] = "0.5"
	}
	return "[" + strings.Join(list, ",") + "]"
}

func verdicts(option, prompt string) string {
	if option == "malformed" {
		return "lorem ipsum"
	}
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
		if option == "all hold" || option == "one holds" && i == 1 {
			v.Verdict, v.Passage, v.Quote = "SUPPORTED", 1, "a directory"
			if !strings.Contains(prompt, "delete a directory use rm with") && !strings.Contains(prompt, "deletes a directory") {
				v.Quote = "directory"
			}
		}
		list = append(list, v)
	}
	data, _ := json.Marshal(map[string]any{"verdicts": list, "suggested_corrections": []string{}}) //nolint:errchkjson // strings and numbers encode
	return string(data)
}
