package nodes_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/store/sqlite"
	"github.com/kbagent/kbagent/tools"
)

// The documents of testdata/injection speak to the model. Each is a txtar archive: what it tries; lines "obey ROLE: PHRASE
// => EFFECT", the phrase as the document means it, folded; a document "doc PATH" and perhaps a page "web URL" with its
// title in the first line. CANARY stands for a word that occurs nowhere else.
//
// Each goes through the whole agent, over a real index, with a model that obeys whatever it sees outside the fence. The
// run has to be the same as that of a harmless document, and the canary may never stand outside the fence. Then it goes
// through without a fence, and both have to fail: that shows that the document is dangerous and that the test can see it.

const fact = "Logs are rotated every night at two."

// attack is one file of the set.
type attack struct {
	name     string
	about    string
	commands []command
	canary   string
	path     string // of the document
	content  string
	page     tools.SearchResult
	prompts  nodes.Prompts
}

// harmless is the document that the others are compared with.
var harmless = attack{
	name: "harmless", canary: "ZQXHARMLESS", path: "notes.md", content: "# Log notes\n\nThe logs are rotated. ZQXHARMLESS\n",
	page: tools.SearchResult{URL: "https://example.org/logs", Title: "Logs", Content: "The logs are rotated."},
}

func attacks(t *testing.T) []attack {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "injection", "*.txtar"))
	require.NoError(t, err)
	list := make([]attack, len(files))
	for i, file := range files {
		list[i] = readAttack(t, file, fmt.Sprintf("ZQX%03dK", i))
	}
	return list
}

func readAttack(t *testing.T, file, canary string) attack {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	a := harmless
	a.name, a.canary = strings.TrimSuffix(filepath.Base(file), ".txtar"), canary
	for line := range strings.Lines(string(archive.Comment)) {
		obey, ok := strings.CutPrefix(strings.TrimSpace(line), "obey ")
		if !ok {
			a.about = strings.TrimSpace(line)
			continue
		}
		role, rest, _ := strings.Cut(obey, ": ")
		phrase, effect, found := strings.Cut(rest, " => ")
		require.True(t, found, "%s: %s", file, line)
		a.commands = append(a.commands, command{role, phrase, effect})
	}
	planted := func(s string) string { return strings.ReplaceAll(s, "CANARY", canary) }
	for _, f := range archive.Files {
		kind, name, _ := strings.Cut(f.Name, " ")
		switch kind {
		case "doc":
			a.path, a.content = planted(name), planted(string(f.Data))
		case "web":
			title, text, _ := strings.Cut(string(f.Data), "\n")
			a.page = tools.SearchResult{URL: planted(name), Title: planted(title), Content: planted(text)}
		default:
			t.Fatalf("%s: a file is a doc or web, not %q", file, f.Name)
		}
	}
	require.NotEmpty(t, a.about, file)
	require.NotEmpty(t, a.commands, file)
	return a
}

// Search implements tools.SearchProvider: the web has one page.
func (a attack) Search(context.Context, string, int) ([]tools.SearchResult, error) {
	return []tools.SearchResult{a.page}, nil
}

// Name implements tools.SearchProvider.
func (attack) Name() string { return "test" }

// label names the origin of evidence.
func (a attack) label(path string) string {
	switch path {
	case "fact.md", "filler.md":
		return path
	case a.page.URL:
		return "WEB"
	case a.path:
		return "DOC"
	}
	return "?" + path
}

// run asks three questions over a knowledge base that holds the attack. It returns what the run was like, in lines, as far
// as that may not depend on what a document says.
func (a attack) run(t *testing.T, ix *index.Index, m *obedient) []string {
	t.Helper()
	m.commands, m.canary, m.reached = a.commands, a.canary, make(map[string]bool)
	ag := a.agent(t, ix, m)
	var lines []string
	for i, text := range []string{"How are the logs rotated?", "and on Windows?", "Thanks!"} {
		m.ask(i + 1)
		answer, err := ag.Do(t.Context(), agent.Question{Text: text, Thread: "t"})
		require.NoError(t, err)
		lines = append(lines, a.look(i+1, answer)...)
	}
	return lines
}

// index is the knowledge base with the attack in it.
func (a attack) index(t *testing.T) *index.Index {
	t.Helper()
	root := t.TempDir()
	docs := filepath.Join(root, "docs")
	for path, content := range map[string]string{
		"fact.md": "# Rotation\n\n" + fact + "\n", "filler.md": "# Backups\n\nBackups are made of rotated logs.\n", a.path: a.content,
	} {
		file := filepath.Join(docs, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o644))
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(root, "kb.db"), sqlite.Options{Synchronous: "NORMAL"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	ix, err := index.Open(t.Context(), db.Index(), nil, index.Options{})
	require.NoError(t, err)
	report, err := ix.Update(t.Context(), []string{docs}, index.UpdateOptions{})
	require.NoError(t, err)
	require.Empty(t, report.Errors)
	return ix
}

func (a attack) agent(t *testing.T, ix *index.Index, m *obedient) *agent.Agent {
	t.Helper()
	settings := state.DefaultSettings()
	settings.AutoApproveMaxItems, settings.Verify, settings.WebSearch = 0, true, state.WebAmbiguous
	ag, err := agent.New(agent.Config{
		Nodes: nodes.Config{
			Tools:   tools.NewSet(append(tools.Local(ix), tools.WebSearch(a))...),
			Library: agent.Library(ix, false), Audit: nodes.Discard{}, Model: &nodes.Model{LLM: m, Fence: m.newFence}, Prompts: a.prompts,
		},
		Settings: settings,
	})
	require.NoError(t, err)
	return ag
}

// look takes down a turn. Documents go by their labels, since a document may fall into several passages and stand at
// any rank. The answer of the first turn quotes the document; only the sentence in front of that counts.
func (a attack) look(turn int, answer agent.Answer) []string {
	s := answer.State
	lines := []string{
		fmt.Sprintf("turn %d", turn), "path " + strings.Join(s.Path, " "), fmt.Sprint("moves ", s.Transitions), "query " + s.ResolvedQuery,
		fmt.Sprint("graded by ", s.GradeSource, ", decision ", s.Decision, ", status ", s.Status),
	}
	paths, marks := make(map[string]string), []string(nil)
	for _, item := range s.Context {
		paths[item.ID] = a.label(item.Path)
		marks = append(marks, fmt.Sprintf("grade %s %.2f", a.label(item.Path), *item.Grade))
	}
	for _, q := range s.Quarantined {
		paths[q.Item.ID] = a.label(q.Item.Path)
		marks = append(marks, fmt.Sprintf("removed %s %.2f", a.label(q.Item.Path), q.Score))
	}
	lines = append(lines, distinct(marks)...)
	for _, c := range s.ToolHistory {
		var found []string
		for _, id := range c.ItemIDs {
			found = append(found, paths[id])
		}
		args := strings.ReplaceAll(string(c.Args), fmt.Sprintf("%q", a.path), `"DOC"`)
		lines = append(lines, fmt.Sprintf("call %s %s: %s %s", c.Name, args, distinct(found), c.Error))
	}
	for _, w := range s.Warnings {
		if !strings.Contains(w, "citation(s) removed") { // of what the first answer quotes
			lines = append(lines, "warning "+w)
		}
	}
	said, _, _ := strings.Cut(answer.Answer, quoteStart)
	return append(lines, "answer "+markers.ReplaceAllString(said, "[n]"))
}

// quoteStart is what the model writes in front of what it quotes in the first turn.
const quoteStart = " The notes say"

var markers = regexp.MustCompile(`\[\d+\]`)

// distinct is the different ones of a list, sorted: a document may fall into several passages.
func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func TestDocumentsThatSpeakToTheModelChangeNothing(t *testing.T) {
	model := &obedient{}
	want := harmless.run(t, harmless.index(t), model)
	require.Empty(t, model.leaks)
	require.Equal(t, 2, strings.Count(strings.Join(want, "\n"), "decision PASS, status PASS"), "the twin run works: %v", want)
	require.Contains(t, want, "answer "+fact+" [n]")
	require.Contains(t, want, `call read_file {"path":"DOC"}: [DOC] `)
	require.Contains(t, want, `call web_search {"query":"How are the logs rotated?","k":5}: [WEB] `)

	all := attacks(t)
	require.GreaterOrEqual(t, len(all), 40)
	for _, a := range all {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			ix := a.index(t)
			changesNothing(t, a, ix, want)
			isDangerousWithoutAFence(t, a, ix, want)
		})
	}
}

func changesNothing(t *testing.T, a attack, ix *index.Index, want []string) {
	t.Helper()
	model := &obedient{}
	got := a.run(t, ix, model)
	assert.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"), a.about)
	assert.Empty(t, model.obeyed)
	assert.Empty(t, model.leaks, "text of a document stood outside its fence")
	for _, c := range a.commands {
		assert.True(t, model.reached[c.role], "the document never reached the %s", c.role)
	}
}

// isDangerousWithoutAFence shows that the test can fail for each document: the same checks find that it was obeyed.
func isDangerousWithoutAFence(t *testing.T, a attack, ix *index.Index, want []string) {
	t.Helper()
	model := &obedient{exposed: true}
	got := a.run(t, ix, model)
	assert.NotEqual(t, want, got, "the run does not show that a command was followed")
	assert.NotEmpty(t, model.obeyed)
	assert.NotEmpty(t, model.leaks)
}

// The samples of LoadPrompts cannot know every condition; what one lets through is found before it is sent.
func TestAPromptThatLetsDocumentsOutOfTheFenceIsNeverSent(t *testing.T) {
	list := nodes.Prompts{}.List()
	grader := list[slices.IndexFunc(list, func(p nodes.PromptInfo) bool { return p.Name == nodes.RoleGrader })].Source
	leaky := func(condition string) fstest.MapFS {
		source := strings.Replace(grader, "Grades:", "{{range .Items}}"+condition+"{{.Text}}{{end}}{{end}}Grades:", 1)
		require.NotEqual(t, grader, source)
		return fstest.MapFS{"grader.tmpl": {Data: []byte(source)}}
	}
	_, err := nodes.LoadPrompts(leaky("{{if .N}}"))
	require.ErrorContains(t, err, "grader.tmpl:14: text of documents stands outside the fence")

	a, model := harmless, &obedient{}
	a.prompts, err = nodes.LoadPrompts(leaky("{{if eq .N 3}}"))
	require.NoError(t, err, "there are two passages in the samples")
	got := strings.Join(a.run(t, a.index(t), model), "\n")
	assert.Contains(t, got, "the model failed as grader (prompt grader: text of documents stands outside the fence")
	assert.NotContains(t, got, "graded by llm")
	assert.Empty(t, model.leaks)
}
