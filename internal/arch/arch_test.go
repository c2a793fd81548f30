package arch

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var root = filepath.Join("..", "..")

func TestTheProjectKeepsTheLaw(t *testing.T) {
	found, err := Check(os.DirFS(root))
	require.NoError(t, err)
	for _, v := range found {
		t.Error(v)
	}
}

func TestTheCheckSeesTheProject(t *testing.T) {
	files, err := read(os.DirFS(root))
	require.NoError(t, err)
	seen := map[string]bool{}
	environment := 0
	for _, f := range files {
		seen[f.pkg] = true
		environment += len(f.calls)
	}
	for _, pkg := range []string{"graph", "state", "index", "rules", "nodes", "agent", "cmd/kbagent", "internal/config"} {
		assert.True(t, seen[pkg], pkg)
	}
	assert.NotZero(t, environment, "internal/config reads the environment")
}

// planted is a small module that keeps the law.
func planted() fstest.MapFS {
	m := fstest.MapFS{"go.mod": {Data: []byte("module " + Module)}}
	for name, imports := range map[string]string{
		"graph/graph.go":                 "context",
		"graph/graph_test.go":            Module + "/graph " + Module + "/graph/graphtest github.com/stretchr/testify/assert pgregory.net/rapid go.uber.org/goleak",
		"graph/graphtest/store.go":       "testing " + Module + "/graph",
		"state/state.go":                 "time",
		"index/index.go":                 Module + "/index/text",
		"index/index_test.go":            Module + "/store/sqlite",
		"index/text/text.go":             "github.com/clipperhouse/uax29/v2/words",
		"rules/rules.go":                 Module + "/state github.com/looplab/fsm",
		"store/sqlite/db.go":             Module + "/graph " + Module + "/index modernc.org/sqlite modernc.org/sqlite/lib",
		"nodes/nodes.go":                 Module + "/graph " + Module + "/nodes/reply github.com/tmc/langchaingo/llms",
		"nodes/reply/reply.go":           "strings",
		"agent/agent.go":                 Module + "/nodes " + Module + "/scenario",
		"scenario/scenario.go":           Module + "/graph",
		"internal/llm/llm.go":            "github.com/tmc/langchaingo/llms github.com/tmc/langchaingo/llms/openai",
		"internal/repl/repl.go":          Module + "/agent",
		"cmd/kbagent/main.go":            Module + "/agent " + Module + "/internal/repl " + Module + "/store/sqlite github.com/spf13/cobra",
		"graph/testdata/x.go":            "github.com/spf13/cobra",
		"engine/temporal/workflow.go":    "go.temporal.io/sdk/workflow",
		"_old/x.go":                      "github.com/spf13/cobra",
		"internal/config/config_test.go": "github.com/stretchr/testify/require",
	} {
		m[name] = &fstest.MapFile{Data: []byte(source(imports))}
	}
	m["engine/temporal/go.mod"] = &fstest.MapFile{}
	m["internal/config/config.go"] = &fstest.MapFile{Data: []byte("package config\nimport \"os\"\nvar all = os.Environ()\n")}
	m["cmd/kbagent/color.go"] = &fstest.MapFile{Data: []byte("package main\nimport \"os\"\nvar plain = os.Getenv(\"NO_COLOR\") != \"\" || os.Getenv(\"TERM\") == \"dumb\"\n")}
	m["tools/tools_test.go"] = &fstest.MapFile{Data: []byte("package tools\nimport \"os\"\nvar home = os.Getenv(\"HOME\")\n")}
	return m
}

func source(imports string) string {
	var b strings.Builder
	b.WriteString("package p\n")
	for _, i := range strings.Fields(imports) {
		b.WriteString("import _ \"" + i + "\"\n")
	}
	return b.String()
}

func TestAModuleThatKeepsTheLawPasses(t *testing.T) {
	found, err := Check(planted())
	require.NoError(t, err)
	assert.Empty(t, found)
}

func TestAPlantedImportIsRefused(t *testing.T) {
	for claim, c := range map[string]struct{ file, imports, want string }{
		"graph knows no module":                     {"graph/bad.go", "golang.org/x/sync/errgroup", "graph may not import golang.org/x/sync/errgroup"},
		"graph knows no state":                      {"graph/bad.go", Module + "/state", "graph may not import state"},
		"graph knows no index":                      {"graph/bad.go", Module + "/index", "graph may not import index"},
		"graph does not carry its test package":     {"graph/bad.go", Module + "/graph/graphtest", "graph may not import graph/graphtest"},
		"graph links no test module":                {"graph/bad.go", "pgregory.net/rapid", "graph imports pgregory.net/rapid, which is for tests only"},
		"graph's tests know no agent":               {"graph/bad_test.go", Module + "/nodes", "graph may not import nodes"},
		"graphtest links no testify":                {"graph/graphtest/bad.go", "github.com/stretchr/testify/assert", "graph/graphtest imports github.com/stretchr/testify/assert, which is for tests only"},
		"files for other systems count":             {"graph/bad_plan9.go", Module + "/state", "graph may not import state"},
		"state knows no graph":                      {"state/bad.go", Module + "/graph", "state may not import graph"},
		"state knows no index":                      {"state/bad.go", Module + "/index/text", "state may not import index/text"},
		"index knows no graph":                      {"index/bad.go", Module + "/graph", "index may not import graph"},
		"index knows no store":                      {"index/bad.go", Module + "/store/sqlite", "index may not import store/sqlite"},
		"review knows nobody":                       {"review/bad.go", Module + "/state", "review may not import state"},
		"rules know no nodes":                       {"rules/bad.go", Module + "/nodes", "rules may not import nodes"},
		"rules know no graph":                       {"rules/bad.go", Module + "/graph", "rules may not import graph"},
		"tools know no rules":                       {"tools/bad.go", Module + "/rules", "tools may not import rules"},
		"a store knows no state":                    {"store/postgres/bad.go", Module + "/state", "store/postgres may not import state"},
		"a store knows no other":                    {"store/postgres/bad.go", Module + "/store/sqlite", "store/postgres may not import store/sqlite"},
		"scenarios know graphs only":                {"scenario/bad.go", Module + "/agent", "scenario may not import agent"},
		"nodes know no store":                       {"nodes/bad.go", Module + "/store/sqlite", "nodes may not import store/sqlite"},
		"nodes know no provider":                    {"nodes/bad.go", "github.com/tmc/langchaingo/llms/openai", "nodes may not import github.com/tmc/langchaingo/llms/openai: that is for internal/llm"},
		"tests know no provider either":             {"nodes/bad_test.go", "github.com/tmc/langchaingo/llms/openai", "nodes may not import"},
		"nodes know nothing else of langchaingo":    {"nodes/bad.go", "github.com/tmc/langchaingo/chains", "has no line in the law (arch.Modules)"},
		"nodes do not know who wires them":          {"nodes/bad.go", Module + "/agent", "nodes may not import agent"},
		"the parser of replies knows nobody":        {"nodes/reply/bad.go", Module + "/state", "nodes/reply may not import state"},
		"the parser of replies needs no module":     {"nodes/reply/bad.go", "github.com/kaptinlin/jsonrepair", "has no line in the law"},
		"rules know no model":                       {"rules/bad.go", "github.com/tmc/langchaingo/llms", "rules may not import github.com/tmc/langchaingo/llms"},
		"the agent knows no configuration":          {"agent/bad.go", Module + "/internal/config", "agent may not import internal/config"},
		"the agent knows no command line":           {"agent/bad.go", "github.com/spf13/cobra", "agent may not import github.com/spf13/cobra: that is for cmd/..."},
		"fronts do not know one another":            {"internal/repl/bad.go", Module + "/server", "internal/repl may not import server"},
		"the server does not know the terminal":     {"server/bad.go", Module + "/internal/repl", "server may not import internal/repl"},
		"the evaluation does not know the terminal": {"internal/eval/bad.go", Module + "/internal/repl", "internal/eval may not import internal/repl"},
		"fronts do not know the command":            {"internal/repl/bad.go", Module + "/cmd/kbagent", "internal/repl may not import cmd/kbagent"},
		"tests know no front":                       {"agent/bad_test.go", Module + "/internal/repl", "agent may not import internal/repl"},
		"a command does not know another":           {"cmd/kbagent/bad.go", Module + "/cmd/other", "cmd/kbagent may not import cmd/other"},
		"the machine stays in rules":                {"nodes/bad.go", "github.com/looplab/fsm", "nodes may not import github.com/looplab/fsm: that is for rules"},
		"the driver stays in its store":             {"index/bad.go", "modernc.org/sqlite", "index may not import modernc.org/sqlite: that is for store/sqlite"},
		"parsing the environment stays in config":   {"cmd/kbagent/bad.go", "github.com/caarlos0/env/v11", "cmd/kbagent may not import github.com/caarlos0/env/v11"},
		"a new module needs a line":                 {"cmd/kbagent/bad.go", "example.com/new", "cmd/kbagent imports example.com/new, which has no line in the law (arch.Modules)"},
		"a module with a similar name is another":   {"rules/bad.go", "github.com/looplab/fsmx", "has no line in the law"},
		"a new package needs a line":                {"helpers/bad.go", "strings", "package helpers has no line in the law (arch.Packages)"},
		"a package without a line is not imported":  {"nodes/bad.go", Module + "/helpers", "nodes may not import helpers"},
		"the root of the module is no package":      {"bad.go", "strings", "has no line in the law"},
		"a store does not know a package below it":  {"store/sqlite/bad.go", Module + "/store/sqlite/internal", "store/sqlite may not import store/sqlite/internal"},
	} {
		t.Run(claim, func(t *testing.T) {
			m := planted()
			m[c.file] = &fstest.MapFile{Data: []byte(source(c.imports))}
			refused(t, m, c.file, c.want)
		})
	}
}

func TestAPlantedReaderOfTheEnvironmentIsRefused(t *testing.T) {
	for claim, c := range map[string]struct{ file, text, want string }{
		"anywhere":                      {"nodes/bad.go", "package nodes\nimport \"os\"\nvar x = os.Getenv(\"HOME\")", "nodes uses os.Getenv: only internal/config reads the environment"},
		"as a function that is passed":  {"tools/bad.go", "package tools\nimport \"os\"\nvar x = os.Getenv", "tools uses os.Getenv"},
		"under another name":            {"tools/bad.go", "package tools\nimport sys \"os\"\nvar x, y = sys.LookupEnv(\"X\")", "tools uses os.LookupEnv"},
		"without a name":                {"tools/bad.go", "package tools\nimport . \"os\"\nvar x = Environ()", "tools uses os.Environ"},
		"through syscall":               {"tools/bad.go", "package tools\nimport \"syscall\"\nvar x, y = syscall.Getenv(\"X\")", "tools uses os.Getenv"},
		"in a text that is expanded":    {"tools/bad.go", "package tools\nimport \"os\"\nvar x = os.ExpandEnv(\"$X\")", "tools uses os.ExpandEnv"},
		"by setting it":                 {"cmd/kbagent/bad.go", "package main\nimport \"os\"\nvar x = os.Setenv(\"NO_COLOR\", \"1\")", "cmd/kbagent uses os.Setenv"},
		"in the command, for a setting": {"cmd/kbagent/bad.go", "package main\nimport \"os\"\nvar x = os.Getenv(\"KB_AGENT_MODE\")", "cmd/kbagent uses os.Getenv"},
		"in the command, by a variable": {"cmd/kbagent/bad.go", "package main\nimport \"os\"\nvar n = \"TERM\"\nvar x = os.Getenv(n)", "cmd/kbagent uses os.Getenv"},
		"for the terminal, elsewhere":   {"graph/bad.go", "package graph\nimport \"os\"\nvar x = os.Getenv(\"NO_COLOR\")", "graph uses os.Getenv"},
	} {
		t.Run(claim, func(t *testing.T) {
			m := planted()
			m[c.file] = &fstest.MapFile{Data: []byte(c.text)}
			refused(t, m, c.file, c.want)
		})
	}
}

// refused checks that one violation is found, in the file, with its line.
func refused(t *testing.T, m fs.FS, file, want string) {
	t.Helper()
	found, err := Check(m)
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, file, found[0].File)
	assert.Positive(t, found[0].Line)
	assert.Contains(t, found[0].String(), want)
}

func TestASourceFileThatCannotBeReadIsAnError(t *testing.T) {
	m := planted()
	m["graph/bad.go"] = &fstest.MapFile{Data: []byte("package")}
	_, err := Check(m)
	assert.ErrorContains(t, err, "graph/bad.go")

	_, err = Check(os.DirFS(filepath.Join(root, "no such folder")))
	assert.ErrorIs(t, err, fs.ErrNotExist)

	_, err = Check(unreadable{planted()})
	assert.ErrorIs(t, err, errUnreadable)
}

var errUnreadable = errors.New("unreadable")

type unreadable struct{ fstest.MapFS }

func (u unreadable) ReadFile(string) ([]byte, error) { return nil, errUnreadable }

func TestTheLawPointsDownwards(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Packages {
		assert.False(t, seen[p.Path], "%s has two lines", p.Path)
		seen[p.Path] = true
		_, err := path.Match(p.Path, "")
		assert.NoError(t, err, p.Path)
		for _, may := range p.May {
			of, ok := lawFor(may)
			require.True(t, ok, "%s may import %s, which has no line", p.Path, may)
			down := of.Level < p.Level || of.Level == p.Level && tree(may) == tree(p.Path)
			assert.True(t, down, "%s may import %s, which is not below it", p.Path, may)
		}
	}
	assert.Empty(t, slices.DeleteFunc(slices.Clone(Packages), func(p Package) bool { return !p.Any || p.Level == 5 }), "only commands may import anything")
}

func TestEachModuleHasOneLineThatSomebodyMayUse(t *testing.T) {
	seen := map[string]bool{}
	for _, u := range Modules {
		assert.False(t, seen[u.Module], "%s has two lines", u.Module)
		seen[u.Module] = true
		assert.True(t, u.Tests || len(u.In) > 0, "%s is for nobody", u.Module)
		for _, pkg := range []string{"graph", "graph/graphtest", "state", "review", "nodes/reply", "internal/mask", "internal/audit", "internal/arch"} {
			assert.False(t, slices.ContainsFunc(u.In, func(p string) bool { return matches(p, pkg) }), "%s takes the standard library only, not %s", pkg, u.Module)
		}
	}
}
