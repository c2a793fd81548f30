package nodes

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/tmc/langchaingo/llms"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// The names of the prompts: their files are NAME.tmpl.
const (
	promptRouter      = "router"
	promptPlanner     = "planner"
	promptGrader      = "grader"
	promptSynthesizer = "synthesizer"
	promptChitchat    = "chitchat"
	promptVerifier    = "verifier"
	promptExpander    = "expander"
	promptReranker    = "reranker"
)

// Prompts is what a model is asked with, by name. The zero value is the built-in prompts; [LoadPrompts] replaces some of
// them. It is immutable and safe for concurrent use.
type Prompts struct{ replaced map[string]prompt }

// PromptInfo describes a prompt for people.
type PromptInfo struct {
	Name     string
	Version  string // as in the audit: "grader/2", or "grader/2+u3f2a9c" when it was replaced
	Replaced bool
	Source   string        // the text of its template
	Fields   []PromptField // what its template may use
}

// PromptField is one thing that a template may use.
type PromptField struct {
	Name     string // ".Items", or ".Items.Text" for the field of an element
	Type     string // text, number, yes/no, list
	Document bool   // it holds text of documents: it stands in the fence, or the template is refused
	Meaning  string
}

// List describes all prompts, by name.
func (p Prompts) List() []PromptInfo {
	list := make([]PromptInfo, 0, len(contracts))
	for _, c := range contracts {
		one := p.get(c.name)
		_, replaced := p.replaced[c.name]
		list = append(list, PromptInfo{Name: c.name, Version: one.version, Replaced: replaced, Source: one.source, Fields: c.fields()})
	}
	slices.SortFunc(list, func(a, b PromptInfo) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// get is the prompt of that name: the replaced one, or the built-in one.
func (p Prompts) get(name string) prompt {
	if one, ok := p.replaced[name]; ok {
		return one
	}
	return builtInPrompts[name]
}

// with is the model with the prompts that it is asked with.
func (m *Model) with(p Prompts) *Model {
	asked := *m
	asked.prompts = p
	return &asked
}

// builtInPrompts are the prompts of the program. That they keep the contract that users' prompts are held to is a test.
var builtInPrompts = func() map[string]prompt {
	all := make(map[string]prompt, len(contracts))
	for _, c := range contracts {
		source, err := promptFiles.ReadFile("prompts/" + c.name + promptExt)
		if err != nil {
			panic(err) // the file is part of the program
		}
		one, faults := parsePrompt(c, string(source))
		if len(faults) > 0 {
			panic(&PromptsError{Faults: faults})
		}
		all[c.name] = one
	}
	return all
}()

// The parts of a template.
const (
	partVersion = "version"
	partSystem  = "system"
	partUser    = "user"
)

// prompt is a template with its three parts. Its version is part of every call ([CallFrom]), and changes whenever its
// text does.
type prompt struct {
	name    string
	version string
	source  string
	tmpl    *template.Template
}

// call describes a model call with this prompt in a role.
func (p prompt) call(role string) Call { return Call{Role: role, Prompt: p.version} }

// messages renders the prompt: the system part, the conversation, the user part. Text of documents that a template puts
// outside the fence is an error, whatever the load of the template has found: nothing is sent then.
func (p prompt) messages(data any, conversation []llms.MessageContent) ([]llms.MessageContent, error) {
	system, err := p.part(partSystem, data)
	if err != nil {
		return nil, err
	}
	user, err := p.part(partUser, data)
	if err != nil {
		return nil, err
	}
	msgs := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, system)}
	msgs = append(msgs, conversation...)
	return append(msgs, llms.TextParts(llms.ChatMessageTypeHuman, user)), nil
}

func (p prompt) part(part string, data any) (string, error) {
	text, leaks, err := p.render(part, data)
	switch {
	case err != nil:
		return "", fmt.Errorf("prompt %s: %w", p.name, err)
	case len(leaks) > 0:
		return "", fmt.Errorf("prompt %s: %s", p.name, leaks[0].reason)
	}
	return text, nil
}

// render fills in a part. Leaks are the places where the text of documents does not stand in the fence.
func (p prompt) render(part string, data any) (text string, leaks []leak, err error) {
	var b strings.Builder
	if data, err = marked(data); err != nil {
		return "", nil, err
	}
	if err := p.tmpl.ExecuteTemplate(&b, part, data); err != nil {
		return "", nil, err
	}
	text, leaks = unmarked(b.String(), fenceOf(data))
	return strings.TrimSpace(text), leaks, nil
}
