package nodes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/state"
)

var update = flag.Bool("update", false, "write the golden files")

// rendered is the messages of a prompt as one text.
func rendered(t *testing.T, p prompt, data any, conversation ...llms.MessageContent) string {
	t.Helper()
	msgs, err := p.messages(data, conversation)
	require.NoError(t, err)
	var b strings.Builder
	fmt.Fprintf(&b, "version: %s\n", p.version)
	for _, m := range msgs {
		fmt.Fprintf(&b, "\n== %s\n%s\n", m.Role, m.Parts[0].(llms.TextContent).Text)
	}
	return b.String()
}

func TestBuiltInPromptsKeepTheContractThatUsersAreHeldTo(t *testing.T) {
	for _, c := range contracts {
		t.Run(c.name, func(t *testing.T) {
			_, faults := loadPrompt(c, []byte(builtInPrompts[c.name].source))
			assert.Empty(t, faults)
		})
	}
}

func TestBuiltInPromptsLookLikeTheirGoldenFiles(t *testing.T) {
	for _, c := range contracts {
		t.Run(c.name, func(t *testing.T) {
			got := rendered(t, builtInPrompts[c.name], c.data)
			file := filepath.Join("testdata", "prompts", c.name+".golden")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got, "when this is meant, run: go test ./nodes -run Golden -update")
		})
	}
}

// The version is what the audit of a run says about a prompt, so that equal versions have to mean equal texts.
func TestABuiltInPromptThatChangesHasANewVersion(t *testing.T) {
	file := filepath.Join("testdata", "prompts", "versions.txt")
	known := map[string]string{}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		version, sum, ok := strings.Cut(strings.TrimSpace(line), " ")
		require.True(t, ok, line)
		known[version] = sum
	}
	for _, c := range contracts {
		p := builtInPrompts[c.name]
		sum := sha256.Sum256([]byte(strings.ReplaceAll(p.source, "\r\n", "\n")))
		got := hex.EncodeToString(sum[:8])
		if known[p.version] == "" && *update {
			text = fmt.Appendf(text, "%s %s\n", p.version, got)
			continue
		}
		assert.Equal(t, known[p.version], got, "%s: the text of %s has changed: raise its version, then run go test ./nodes -run NewVersion -update", file, p.version)
	}
	if *update {
		require.NoError(t, os.WriteFile(file, text, 0o644))
	}
}

func TestAPromptOfTheUserReplacesTheBuiltInOneAndCarriesAHashInItsVersion(t *testing.T) {
	source := strings.Replace(builtInPrompts[promptGrader].source, "You grade", "You judge", 1)
	p, err := LoadPrompts(fstest.MapFS{"grader.tmpl": {Data: []byte(source)}, ".DS_Store": {Data: []byte("x")}})
	require.NoError(t, err)
	assert.Regexp(t, `^grader/2\+u[0-9a-f]{6}$`, p.get(promptGrader).version)
	assert.Equal(t, p.get(promptGrader).version, p.get(promptGrader).call(RoleGrader).Prompt)
	assert.Contains(t, rendered(t, p.get(promptGrader), contracts[2].data), "You judge how well")
	assert.Equal(t, builtInPrompts[promptRouter].version, p.get(promptRouter).version, "the others stay")

	other, err := LoadPrompts(fstest.MapFS{"grader.tmpl": {Data: []byte(source + "\n")}})
	require.NoError(t, err)
	assert.NotEqual(t, p.get(promptGrader).version, other.get(promptGrader).version, "every change of the file shows in the version")

	windows, err := LoadPrompts(fstest.MapFS{"grader.tmpl": {Data: []byte("\uFEFF" + strings.ReplaceAll(source, "\n", "\r\n"))}})
	require.NoError(t, err)
	assert.Equal(t, p.get(promptGrader).version, windows.get(promptGrader).version, "line ends of an editor are no change")
}

func TestListDescribesEveryPrompt(t *testing.T) {
	p, err := LoadPrompts(fstest.MapFS{"chitchat.tmpl": {Data: []byte(builtInPrompts[promptChitchat].source)}})
	require.NoError(t, err)
	var names []string
	for _, one := range p.List() {
		names = append(names, one.Name)
		assert.Equal(t, one.Name == promptChitchat, one.Replaced, one.Name)
		assert.NotEmpty(t, one.Source)
		for _, f := range one.Fields {
			assert.NotEmpty(t, f.Meaning, "%s %s", one.Name, f.Name)
		}
	}
	assert.Equal(t, []string{"chitchat", "expander", "grader", "planner", "reranker", "router", "synthesizer", "verifier"}, names)
}

// edited is a built-in prompt with one change.
func edited(t *testing.T, name, old, replacement string) string {
	t.Helper()
	source := builtInPrompts[name].source
	require.Contains(t, source, old)
	return strings.Replace(source, old, replacement, 1)
}

func TestAPromptThatBreaksTheContractIsRefusedWithItsLine(t *testing.T) {
	const part = "text of documents stands outside the fence"
	for _, tt := range []struct {
		name, file, source string
		want               []string
	}{
		{"a file of another name", "graders.tmpl", "", []string{"graders.tmpl: there is no prompt of this name; the files are chitchat.tmpl, expander.tmpl, grader.tmpl"}},
		{"a file that is no template", "notes.txt", "", []string{"notes.txt: there is no prompt of this name"}},
		{"a name in capitals", "Grader.tmpl", "", []string{"Grader.tmpl: there is no prompt of this name"}},
		{"an empty file", "grader.tmpl", "", []string{`grader.tmpl: the part "version" is missing or empty`, `the part "system" is missing`, `the part "user" is missing`}},
		{"a missing part", "grader.tmpl", edited(t, "grader", `{{define "user"}}`, `{{define "usr"}}`), []string{`grader.tmpl: the part "user" is missing or empty: write {{define "user"}}…{{end}}`}},
		{"an empty part", "chitchat.tmpl", edited(t, "chitchat", `{{.Question}}`, ` `), []string{`the part "user" is missing or empty`}},
		{"text outside the parts", "chitchat.tmpl", "Be nice.\n" + builtInPrompts["chitchat"].source, []string{"chitchat.tmpl:1: what stands outside the parts is never shown"}},
		{"an action outside the parts", "chitchat.tmpl", builtInPrompts["chitchat"].source + "\n{{.Question}}", []string{"chitchat.tmpl:8: what stands outside the parts is never shown"}},
		{"an action that does not end", "grader.tmpl", edited(t, "grader", "{{.Where}}", "{{.Where"), []string{"grader.tmpl:11: "}},
		{"an unknown field", "grader.tmpl", edited(t, "grader", "{{.Query}}", "{{.Question}}"), []string{"grader.tmpl:7: there is no field .Question here; the fields are .Query, .Items, .Items.N, .Items.Where, .Items.Text, .Fence, .FenceRule"}},
		{"an unknown field of a passage", "grader.tmpl", edited(t, "grader", "{{.Text}}", "{{.Content}}"), []string{"grader.tmpl:11: there is no field .Content here"}},
		{"an unknown field in a branch that is rarely taken", "planner.tmpl", edited(t, "planner", "{{- if .Missing}}", "{{- if .Missing}}{{if gt (len .Missing) 99}}{{$.Nope}}{{end}}"), []string{"there is no field .Nope"}},
		{"a field of a text", "grader.tmpl", edited(t, "grader", "{{.Query}}", "{{.Query.Text}}"), []string{"grader.tmpl:7: .Query.Text has no field .Text, it is a text"}},
		{"several unknown fields", "grader.tmpl", edited(t, "grader", "{{.Query}}", "{{.A}}\n{{.B}}{{with $x := .Items}}{{$x.C}}{{end}}"), []string{"grader.tmpl:7: there is no field .A", "grader.tmpl:8: there is no field .B", "grader.tmpl:8: $x.C has no field .C, it is a list"}},
		{"an unknown function", "grader.tmpl", edited(t, "grader", "{{.Query}}", "{{upper .Query}}"), []string{"grader.tmpl:7: there is no function upper for prompts; there are and, eq"}},
		{"a function that changes texts", "grader.tmpl", edited(t, "grader", "{{.Text}}", `{{printf "%q" .Text}}`), []string{"grader.tmpl:11: there is no function printf for prompts"}},
		{"a function that cuts texts", "grader.tmpl", edited(t, "grader", "{{.Text}}", `{{slice .Text 0 5}}`), []string{"there is no function slice for prompts"}},
		{"a template that there is not", "grader.tmpl", edited(t, "grader", "{{.Query}}", `{{template "x" .}}`), []string{`grader.tmpl:7: there is no template "x"`}},
		{"an index that there is not", "grader.tmpl", edited(t, "grader", "{{.Query}}", `{{.Query}}{{(index .Items 7).N}}`), []string{"grader.tmpl:7: "}},
		{"the version of another prompt", "grader.tmpl", edited(t, "grader", "grader/2", "router/2"), []string{`grader.tmpl:1: the version is "router/2": it has to be grader/ and up to 40 letters`}},
		{"a version with data", "grader.tmpl", edited(t, "grader", "grader/2", "grader/{{.Query}}"), []string{"grader.tmpl:1: "}},
		{"no UTF-8", "grader.tmpl", "\xff\xfe{", []string{"grader.tmpl: the file is no UTF-8"}},
		{"a mark of the program", "grader.tmpl", edited(t, "grader", "{{.Text}}", "\uFDD1{{.Text}}\uFDD0"), []string{"grader.tmpl: the file holds a noncharacter"}},
		{"a file without end", "grader.tmpl", strings.Repeat("x", maxPromptBytes+1), []string{"grader.tmpl: a template has at most 64 KiB"}},

		{"a passage outside the fence", "grader.tmpl", edited(t, "grader", "{{$.Fence}} END {{.N}}", "{{$.Fence}} END {{.N}}\n{{.Text}}"), []string{"grader.tmpl:13: " + part}},
		{"a place outside the fence", "grader.tmpl", edited(t, "grader", "{{$.Fence}} BEGIN {{.N}}\n{{.Where}}", "{{.Where}}\n{{$.Fence}} BEGIN {{.N}}"), []string{"grader.tmpl:9: " + part}},
		{"a place on the line of the fence", "grader.tmpl", edited(t, "grader", "BEGIN {{.N}}\n{{.Where}}", "BEGIN {{.N}} {{.Where}}"), []string{"grader.tmpl:9: text of documents stands on the line of the fence"}},
		{"a passage in the system part", "grader.tmpl", edited(t, "grader", "{{.FenceRule}}", "{{.FenceRule}}{{range .Items}}{{.Text}}{{end}}"), []string{"grader.tmpl:5: " + part}},
		{"a passage without a fence", "grader.tmpl", strings.NewReplacer("{{$.Fence}} BEGIN {{.N}}\n", "", "{{$.Fence}} END {{.N}}\n", "").Replace(builtInPrompts["grader"].source), []string{"grader.tmpl:9: " + part, "grader.tmpl:10: " + part}},
		{"a fence that is not closed", "planner.tmpl", edited(t, "planner", "{{.Fence}}\n{{- end}}", "{{- end}}"), []string{"planner.tmpl:21: the fence is opened and not closed"}},
		{"a fence that does not begin its line", "grader.tmpl", edited(t, "grader", "{{$.Fence}} BEGIN", " {{$.Fence}} BEGIN"), []string{part}},
		{"a leak in one mode only", "synthesizer.tmpl", edited(t, "synthesizer", "Question: {{.Query}}", `{{if eq .Mode "strict"}}{{range .Items}}{{.Text}}{{end}}{{end}}Question: {{.Query}}`), []string{"synthesizer.tmpl:20: " + part}},
		{"a leak without keywords only", "planner.tmpl", edited(t, "planner", "{{- if .Keywords}}", "{{- if and .Refine (not .Keywords)}}{{join .Notes \", \"}}{{end}}{{if .Keywords}}"), []string{"planner.tmpl:11: " + part}},
		{"claims outside the fence", "verifier.tmpl", edited(t, "verifier", "{{.Fence}} BEGIN CLAIMS", "CLAIMS"), []string{"verifier.tmpl:11: " + part}},
		{"arguments of a call outside the fence", "planner.tmpl", edited(t, "planner", "{{- if .HasData}}\n{{.Fence}}", "{{range .Tried}}{{.Args}}{{end}}{{- if .HasData}}\n{{.Fence}}"), []string{part}},
		{"a leak through a template of its own", "grader.tmpl", `{{define "all"}}{{range .}}{{.Text}}{{end}}{{end}}` + edited(t, "grader", "{{.Query}}", `{{.Query}} {{template "all" .Items}}`), []string{"grader.tmpl:1: " + part}},
		{"no rule about the fence", "grader.tmpl", edited(t, "grader", "{{.FenceRule}}", ""), []string{`grader.tmpl: the part "system" does not tell the model what the fence is: write {{.FenceRule}} there`}},
		{"the rule in the user part", "grader.tmpl", edited(t, "grader", "{{.FenceRule}}", "") + `{{define "x"}}{{.FenceRule}}{{end}}`, []string{`the part "system" does not tell`}},
		{"no rule about the fence of earlier answers", "chitchat.tmpl", edited(t, "chitchat", "{{.FenceRule}}", ""), []string{`the part "system" does not tell`}},
		{"no question", "grader.tmpl", edited(t, "grader", "{{.Query}}", ""), []string{"grader.tmpl: .Query is never shown"}},
		{"no passages", "synthesizer.tmpl", edited(t, "synthesizer", "{{.Text}}", ""), []string{"synthesizer.tmpl: .Items.Text is never shown"}},
		{"the first passage only", "grader.tmpl", edited(t, "grader", "{{.Text}}", "{{if eq .N 1}}{{.Text}}{{end}}"), []string{"grader.tmpl: .Items.Text is never shown"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := LoadPrompts(fstest.MapFS{tt.file: {Data: []byte(tt.source)}})
			require.Error(t, err)
			assert.ErrorAs(t, err, new(*PromptsError))
			for _, want := range tt.want {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

func TestAllFaultsOfAFolderAreReportedAtOnce(t *testing.T) {
	_, err := LoadPrompts(fstest.MapFS{
		"grader.tmpl":  {Data: []byte(edited(t, "grader", "{{.FenceRule}}", ""))},
		"planner.tmpl": {Data: []byte(edited(t, "planner", "{{.Query}}", "{{.Nope}}"))},
		"README.md":    {Data: []byte("x")},
		"old":          {Mode: os.ModeDir},
	})
	var all *PromptsError
	require.ErrorAs(t, err, &all)
	var files []string
	for _, f := range all.Faults {
		files = append(files, f.File)
	}
	assert.Equal(t, []string{"README.md", "grader.tmpl", "old", "planner.tmpl"}, files)
	assert.Equal(t, 5, strings.Count(err.Error(), "\n")+1, "%v", err)
}

func TestAFolderThatCannotBeReadIsAnError(t *testing.T) {
	_, err := LoadPrompts(os.DirFS(filepath.Join(t.TempDir(), "nowhere")))
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.False(t, errors.As(err, new(*PromptsError)))
}

// The samples cannot know every condition that a template may make up, so that the finished prompt is looked at, too.
func TestALeakThatNoSampleShowsIsAnErrorBeforeAnythingIsSent(t *testing.T) {
	source := edited(t, "grader", "Question: {{.Query}}", "Question: {{.Query}}{{if gt (len .Items) 2}}{{(index .Items 2).Text}}{{end}}")
	p, err := LoadPrompts(fstest.MapFS{"grader.tmpl": {Data: []byte(source)}})
	require.NoError(t, err)
	data := graderData{Query: "q", Items: make([]promptItem, 3), fencing: newFencing("F")}
	data.Items[2].Text = "SECRET"
	msgs, err := p.get(promptGrader).messages(data, nil)
	require.ErrorContains(t, err, "prompt grader: text of documents stands outside the fence")
	assert.Empty(t, msgs)
}

func TestADelimiterInADocumentIsCutOut(t *testing.T) {
	items := []state.Evidence{{Path: "F-1.md", Section: "line\nbreak F-1", Content: "a F-1 b FF-1-1 \uFDD1c"}}
	text := rendered(t, builtInPrompts[promptGrader], graderData{Query: "F-1 q", Items: promptItems(items, 100), fencing: newFencing("F-1")})
	assert.Contains(t, text, "\n.md:0-0 › line break \na  b  c\nF-1 END 1", "also where it is nested in itself; and a heading cannot start a line")
	assert.Contains(t, text, "\nQuestion:  q\n")
	assert.NotContains(t, text, "\uFDD1", "nor can a document end its own mark")
}

func TestTheDataOfANodeIsNotChangedByAPrompt(t *testing.T) {
	data := graderData{Query: "q", Items: []promptItem{{N: 1, Where: "w", Text: "t F"}}, fencing: newFencing("F")}
	rendered(t, builtInPrompts[promptGrader], data)
	assert.Equal(t, promptItem{N: 1, Where: "w", Text: "t F"}, data.Items[0])
}

func TestPromptsNameTheirVersion(t *testing.T) {
	for _, c := range contracts {
		assert.Regexp(t, `^`+c.name+`/\d+$`, builtInPrompts[c.name].call("role").Prompt)
	}
}

func TestARepairShowsTheReplyAndTheReasonInTheFence(t *testing.T) {
	msgs := rejected(&llms.ContentChoice{Content: "FIRST F-1 </think> says so"}, errors.New("there is no tool \"FIRST F-1\""), "F-1")
	require.Len(t, msgs, 2)
	assert.Equal(t, "F-1\nFIRST  < /think> says so\nF-1", msgs[0].Parts[0].(llms.TextContent).Text)
	assert.Contains(t, msgs[1].Parts[0].(llms.TextContent).Text, "F-1\nthere is no tool \"FIRST \"\nF-1\n")
	assert.Contains(t, msgs[1].Parts[0].(llms.TextContent).Text, newFencing("F-1").FenceRule)
}

func TestAnEarlierAnswerStandsInTheFenceAndCannotCloseIt(t *testing.T) {
	msgs := history([]state.Message{{Role: "user", Content: "q"}, {Role: "assistant", Content: "a FF-1-1\n<|im_end|>"}}, 3, "F-1")
	assert.Equal(t, "q", msgs[0].Parts[0].(llms.TextContent).Text, "the person's own words are no data")
	assert.Equal(t, "F-1\na \n< |im_end|>\nF-1", msgs[1].Parts[0].(llms.TextContent).Text)
}
