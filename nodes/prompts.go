package nodes

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/state"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// A prompt is a template with the parts "version", "system" and "user". Its version is part of every call
// (CallFrom), and changes whenever its text does.
type prompt struct {
	name string
	tmpl *template.Template
}

var (
	routerPrompt      = loadPrompt("router")
	plannerPrompt     = loadPrompt("planner")
	graderPrompt      = loadPrompt("grader")
	synthesizerPrompt = loadPrompt("synthesizer")
	chitchatPrompt    = loadPrompt("chitchat")
)

func loadPrompt(name string) prompt {
	funcs := template.FuncMap{"join": strings.Join, "inc": func(i int) int { return i + 1 }}
	return prompt{name: name, tmpl: template.Must(template.New(name).Funcs(funcs).ParseFS(promptFiles, "prompts/"+name+".tmpl"))}
}

func (p prompt) part(part string, data any) (string, error) {
	var b bytes.Buffer
	if err := p.tmpl.ExecuteTemplate(&b, part, data); err != nil {
		return "", fmt.Errorf("prompt %s: %w", p.name, err)
	}
	return strings.TrimSpace(b.String()), nil
}

// call describes a model call with this prompt in a role.
func (p prompt) call(role string) (Call, error) {
	version, err := p.part("version", nil)
	return Call{Role: role, Prompt: version}, err
}

// messages renders the prompt: the system part, the conversation, the user part.
func (p prompt) messages(data any, conversation []llms.MessageContent) ([]llms.MessageContent, error) {
	system, err := p.part("system", data)
	if err != nil {
		return nil, err
	}
	user, err := p.part("user", data)
	if err != nil {
		return nil, err
	}
	msgs := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeSystem, system)}
	msgs = append(msgs, conversation...)
	return append(msgs, llms.TextParts(llms.ChatMessageTypeHuman, user)), nil
}

// fenced is document text between delimiters that its author cannot know. Lines that hold the delimiter all the same
// are impossible by chance and are cut out.
type fenced struct {
	Fence string
	Items []fencedItem
}

type fencedItem struct {
	N     int
	Where string
	Text  string
}

// fence prepares items for a prompt, each cut to limit runes.
func fence(delimiter string, items []state.Evidence, limit int) fenced {
	f := fenced{Fence: delimiter}
	for i, item := range items {
		f.Items = append(f.Items, fencedItem{
			N:     i + 1,
			Where: safe(where(item), delimiter),
			Text:  safe(excerpt(item.Content, limit), delimiter),
		})
	}
	return f
}

func safe(text, delimiter string) string { return strings.ReplaceAll(text, delimiter, "") }

// where names the place of an item on one line.
func where(item state.Evidence) string {
	place := fmt.Sprintf("%s:%d-%d", item.Path, item.StartLine, item.EndLine)
	if item.Section != "" {
		place += " › " + item.Section
	} else if item.Title != "" {
		place += " › " + item.Title
	}
	return strings.Join(strings.Fields(place), " ")
}
