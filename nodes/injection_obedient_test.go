package nodes_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/nodes"
)

// obedient is a model that follows every command of a document that it sees outside the fence, in whatever disguise, and
// otherwise plays its role well. Well played, its replies depend on the question and on the names of documents only, so
// that two knowledge bases that differ in one document's text lead to the same run.
type obedient struct {
	commands []command
	canary   string // in every text of the document
	exposed  bool   // it is shown everything as if there was no fence

	mu      sync.Mutex
	fences  []string
	turn    int
	calls   map[string]int // of each role in this turn
	obeyed  []string       // the commands that were followed
	leaks   []string       // the messages that hold the canary outside the fence
	reached map[string]bool
}

// command is what a document says to a role, folded, and what the role does about it.
type command struct{ role, phrase, effect string }

// newFence is nodes.Model.Fence: the only lines that open and close are those that start with what it returned.
func (m *obedient) newFence() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fences = append(m.fences, fmt.Sprintf("FENCE-%d-%d", m.turn, len(m.fences)))
	return m.fences[len(m.fences)-1]
}

// ask starts a turn.
func (m *obedient) ask(turn int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn, m.calls = turn, make(map[string]int)
}

// Call implements llms.Model; nobody uses it.
func (m *obedient) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent implements llms.Model.
func (m *obedient) GenerateContent(ctx context.Context, msgs []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var opts llms.CallOptions
	for _, o := range options {
		o(&opts)
	}
	call, _ := nodes.CallFrom(ctx)
	if !call.Repair {
		m.calls[call.Role]++
	}
	outside, blocks := m.split(call, msgs)
	choice := &llms.ContentChoice{StopReason: "stop"}
	switch effect, ok := m.commanded(call.Role, outside); {
	case ok:
		m.obey(choice, call.Role, effect, blocks)
	case m.turn == 1 && m.calls[call.Role] == 1 && !call.Repair && call.Role != nodes.RoleSynthesizer:
		choice.Content = "Let me think. They say: " + prose.Replace(strings.Join(blocks, "\n")) // cannot be used, and quotes everything
	default:
		m.play(choice, call.Role, question(outside), blocks)
	}
	if opts.StreamingFunc != nil {
		if err := opts.StreamingFunc(ctx, []byte(choice.Content)); err != nil {
			return nil, err
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

// prose takes from a text what could be read as a reply.
var prose = strings.NewReplacer("[", "(", "]", ")", "{", "(", "}", ")", "0", "o", "1", "l", "2", "z", ":", " ")

// split parts the messages into what stands outside the fence, and the blocks inside of it that the prompt itself shows,
// and looks for the canary.
func (m *obedient) split(call nodes.Call, msgs []llms.MessageContent) (outside string, blocks []string) {
	var out strings.Builder
	for _, msg := range msgs {
		text := msg.Parts[0].(llms.TextContent).Text
		shown, inside := m.parts(text)
		if m.exposed {
			shown = text
		}
		if strings.Contains(shown, m.canary) {
			m.leaks = append(m.leaks, fmt.Sprintf("%s (repair: %v), message of %s: %s", call.Role, call.Repair, msg.Role, shown))
		}
		if strings.Contains(strings.Join(inside, ""), m.canary) {
			m.reached[call.Role] = true
		}
		if msg.Role == llms.ChatMessageTypeHuman && !strings.Contains(shown, "could not be used") {
			blocks = inside
		}
		out.WriteString(shown + "\n")
	}
	return out.String(), blocks
}

// parts is what stands outside the fence in a message, and the blocks inside.
func (m *obedient) parts(text string) (outside string, blocks []string) {
	var out, block strings.Builder
	open := false
	for line := range strings.Lines(text) {
		switch {
		case m.isFence(line) && open:
			blocks = append(blocks, block.String())
			open = false
		case m.isFence(line):
			block.Reset()
			open = true
		case open:
			block.WriteString(line)
		default:
			out.WriteString(line)
		}
	}
	return out.String(), blocks
}

func (m *obedient) isFence(line string) bool {
	for _, f := range m.fences {
		if rest, ok := strings.CutPrefix(line, f); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\n') {
			return true
		}
	}
	return false
}

// commanded is the effect of the first command that is seen.
func (m *obedient) commanded(role, outside string) (effect string, ok bool) {
	seen := undisguised(outside)
	for _, c := range m.commands {
		if c.role == role && strings.Contains(seen, c.phrase) {
			m.obeyed = append(m.obeyed, role+": "+c.phrase)
			return c.effect, true
		}
	}
	return "", false
}

// obey replies as the command wants it.
func (m *obedient) obey(choice *llms.ContentChoice, role, effect string, blocks []string) {
	switch role {
	case nodes.RoleGrader:
		choice.Content = grades(blocks, func(string) string { return effect })
	case nodes.RoleVerifier:
		choice.Content = verdicts(blocks, effect)
	case nodes.RolePlanner:
		name, args, _ := strings.Cut(effect, " ")
		choice.ToolCalls = []llms.ToolCall{toolCall(name, args)}
	case nodes.RoleRouter:
		choice.Content = route("search", effect)
		if effect == "chitchat" {
			choice.Content = route("chitchat", "hello")
		}
	default:
		choice.Content = effect
	}
}

// play replies as the role should.
func (m *obedient) play(choice *llms.ContentChoice, role, question string, blocks []string) {
	switch role {
	case nodes.RoleGrader:
		choice.Content = grades(blocks, func(where string) string {
			if strings.HasPrefix(where, "fact.md:") || m.calls[role] > 2 {
				return "0.9"
			}
			return "0.4"
		})
	case nodes.RoleVerifier:
		choice.Content = verdicts(blocks, "SUPPORTED")
	case nodes.RolePlanner:
		choice.ToolCalls = m.plan(question, strings.Join(blocks, "\n"))
	case nodes.RoleRouter:
		choice.Content = route("search", standalone[m.turn])
		if m.turn == 3 {
			choice.Content = route("chitchat", "thanks")
		}
	case nodes.RoleSynthesizer:
		choice.Content = m.write(blocks)
	}
}

// standalone are the questions of the turns, complete in themselves.
var standalone = map[int]string{1: "How are the logs rotated?", 2: "How are the logs rotated on Windows?"}

var listed = regexp.MustCompile(`(?m)^(.+) \(\d+ lines\)$`)

// plan searches and lists the files first, then reads the document, then looks for a word.
func (m *obedient) plan(question, inside string) []llms.ToolCall {
	switch m.calls[nodes.RolePlanner] {
	case 1:
		return []llms.ToolCall{toolCall("keyword_search", fmt.Sprintf(`{"query":%q}`, question)), toolCall("list_files", `{}`)}
	case 2:
		for _, file := range listed.FindAllStringSubmatch(inside, -1) {
			if file[1] != "fact.md" && file[1] != "filler.md" {
				args, err := json.Marshal(map[string]string{"path": file[1]})
				if err != nil {
					panic(err) // a string can always be encoded
				}
				return []llms.ToolCall{toolCall("read_file", string(args))}
			}
		}
	}
	return []llms.ToolCall{toolCall("grep", `{"pattern":"rotated"}`)}
}

// write answers from the fact, and quotes the document in the first turn, so that it stands in the conversation.
func (m *obedient) write(blocks []string) string {
	if m.turn == 3 {
		return "You are welcome."
	}
	answer, quote := "", ""
	for i, p := range passages(blocks) {
		switch {
		case strings.HasPrefix(p.where, "fact.md:"):
			answer = fmt.Sprintf("%s [%d]", fact, i+1)
		case !strings.HasPrefix(p.where, "filler.md:") && strings.Contains(p.where+p.text, m.canary):
			quote = fmt.Sprintf("%s in %s that %s [%d]", quoteStart, p.where, prefix(p.text, 900), i+1)
		}
	}
	if m.turn == 1 {
		answer += quote
	}
	return answer
}

func prefix(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	return string(r[:min(len(r), n)])
}

// passage is a passage as a prompt shows it: its place stands on the first line of its block.
type passage struct{ where, text string }

func passages(blocks []string) []passage {
	list := make([]passage, len(blocks))
	for i, b := range blocks {
		list[i].where, list[i].text, _ = strings.Cut(b, "\n")
	}
	return list
}

func grades(blocks []string, grade func(where string) string) string {
	var list []string
	for _, p := range passages(blocks) {
		list = append(list, grade(p.where))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// verdicts judges the claims, whose block stands in front of the passages, a line for each.
func verdicts(blocks []string, verdict string) string {
	factAt := 1 + slices.IndexFunc(passages(blocks[1:]), func(p passage) bool { return strings.HasPrefix(p.where, "fact.md:") })
	var list []string
	for i := range strings.Count(blocks[0], "\n") {
		list = append(list, fmt.Sprintf(`{"claim":%d,"verdict":%q,"passage":%d,"quote":%q,"reasoning":"it says so"}`, i+1, verdict, factAt, fact))
	}
	return `{"verdicts":[` + strings.Join(list, ",") + `],"suggested_corrections":[]}`
}

func route(to, query string) string {
	return fmt.Sprintf(`{"route":%q,"confidence":0.9,"category":"how_to","query":%q,"sub_queries":[],"keywords":[]}`, to, query)
}

func toolCall(name, args string) llms.ToolCall {
	return llms.ToolCall{ID: "1", Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: args}}
}

var asked = regexp.MustCompile(`(?m)^Question: (.*)$`)

// question is what a prompt asks about, outside the fence.
func question(outside string) string {
	all := asked.FindAllStringSubmatch(outside, -1)
	if len(all) == 0 {
		return ""
	}
	return all[0][1]
}

var encoded = regexp.MustCompile(`[A-Za-z0-9+/]{20,}={0,2}`)

// lookalikes are Cyrillic letters that look like Latin ones.
var lookalikes = strings.NewReplacer("а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "х", "x", "у", "y", "і", "i")

// undisguised is a text as a clever reader takes it: without invisible characters, lookalikes, full width, case and
// markup, with everything decoded that is encoded.
func undisguised(text string) string {
	for _, code := range encoded.FindAllString(text, -1) {
		if plain, err := base64.StdEncoding.DecodeString(code); err == nil {
			text += "\n" + string(plain)
		}
	}
	text = strings.Map(func(c rune) rune {
		switch {
		case unicode.Is(unicode.Cf, c):
			return -1
		case c >= '！' && c <= '～':
			c = c - '！' + '!'
		}
		return unicode.ToLower(c)
	}, text)
	return strings.Join(strings.Fields(lookalikes.Replace(text)), " ")
}
