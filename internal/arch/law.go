package arch

// Module is the path of the Go module that the law is for.
const Module = "github.com/kbagent/kbagent"

// Package is the law for one package, or for a family of sibling packages.
type Package struct {
	// Path is relative to the module. An asterisk stands for one element: "store/*".
	Path string
	// Level orders the packages: imports go to lower levels, or to the same level within one tree.
	Level int
	// May lists the packages of the project that it may import, as paths like Path.
	May []string
	// Any lifts May: every package below its level may be imported. For the packages that wire things together.
	Any bool
}

// Packages is the direction of imports, of what exists and of what is planned. Tests of a package may import more.
var Packages = []Package{
	// Level 0: none knows another.
	{Path: "state"},
	{Path: "graph"},
	{Path: "graph/graphtest", May: []string{"graph"}},
	{Path: "graph/sealed", May: []string{"graph"}},
	{Path: "graph/otel", May: []string{"graph"}},
	{Path: "index", May: []string{"index/text"}},
	{Path: "index/text"},
	{Path: "index/inverted"},
	{Path: "index/load", Level: 1, May: []string{"index", "index/text", "internal/readable"}},
	{Path: "internal/crawl", Level: 1, May: []string{"index", "internal/readable", "tools/netguard"}},
	{Path: "index/indextest", May: []string{"index", "index/text"}},
	{Path: "review"},
	{Path: "tools/netguard"},
	{Path: "internal/traffic"},
	{Path: "internal/evalcache"},
	{Path: "internal/readable"},
	{Path: "docs"},
	{Path: "internal/mask"},
	{Path: "internal/near"},
	{Path: "internal/changes"},
	{Path: "internal/manpage"},
	{Path: "internal/arch"},
	{Path: "internal/mutate"},
	{Path: "internal/measure"},
	{Path: "internal/termtest"},

	// Level 1: implementations and rules over one or two contracts.
	{Path: "review/notify", Level: 1, May: []string{"review"}},
	{Path: "review/reviewtest", Level: 1, May: []string{"review"}},
	{Path: "rules", Level: 1, May: []string{"state", "index", "index/text"}},
	{Path: "tools", Level: 1, May: []string{"state", "index", "index/text", "tools/netguard", "internal/readable"}},
	{Path: "verify", Level: 1, May: []string{"state", "index", "index/text"}},
	{Path: "store/*", Level: 1, May: []string{"graph", "index", "index/inverted", "review"}},
	{Path: "store/postgres/pgtest", Level: 1},
	{Path: "scenario", Level: 1, May: []string{"graph", "internal/near"}},
	{Path: "scenario/explore", Level: 1, May: []string{"graph"}},
	{Path: "internal/config", Level: 1, May: []string{"state", "internal/near"}},
	{Path: "internal/audit", Level: 1, May: []string{"internal/mask"}},
	{Path: "internal/llm", Level: 1, May: []string{"internal/mask"}},
	{Path: "internal/llm/llmtest", Level: 1},

	// Level 2: what the nodes do.
	{Path: "nodes", Level: 2, May: []string{"graph", "state", "index/text", "rules", "tools", "verify", "nodes/reply", "internal/mask"}},
	{Path: "nodes/reply", Level: 2},

	// Level 3: the picture, and the scenarios that walk it.
	{Path: "agent", Level: 3, May: []string{"graph", "state", "index", "index/text", "rules", "tools", "verify", "review", "scenario", "nodes", "internal/mask"}},
	{Path: "internal/metrics", Level: 3, May: []string{"state", "rules", "tools", "nodes", "internal/audit"}},
	{Path: "internal/metrics/traces", Level: 3},
	{Path: "internal/e2e", Level: 4},
	{Path: "agent/scenarios", Level: 3, May: []string{"graph", "state", "index", "index/text", "rules", "tools", "verify", "review", "scenario", "scenario/explore", "nodes",
		"agent", "store/sqlite", "internal/config", "internal/mask"}},

	// Level 4: fronts. They do not import one another, and get their stores and models from cmd.
	{Path: "internal/repl", Level: 4, May: []string{"graph", "state", "index", "rules", "tools", "review", "nodes", "agent", "internal/mask", "internal/near"}},
	{Path: "server", Level: 4, May: []string{"graph", "state", "index", "rules", "tools", "review", "nodes", "agent", "internal/mask", "internal/audit"}},
	{Path: "internal/eval", Level: 4, May: []string{"graph", "state", "index", "index/text", "index/load", "rules", "tools", "verify", "nodes", "nodes/reply", "agent", "store/sqlite", "internal/mask"}},

	// Level 5 wires all.
	{Path: "cmd/*", Level: 5, Any: true},
}

// Use says which packages may import a module.
type Use struct {
	// Module is an import path; the packages below it are meant too, unless they have a line of their own.
	Module string
	// In lists packages as in Package.Path; a path with /... takes the packages below too.
	In []string
	// Tests lets the tests of every package import it.
	Tests bool
}

// Modules is the list of modules in use. A module that is not here may not be imported at all. The graph and what users
// link with it take the standard library only, as do all packages that no line names.
var Modules = []Use{
	// Providers: one package names them, the others know the interface.
	{Module: "github.com/tmc/langchaingo/llms", In: []string{"nodes", "agent/...", "internal/llm/...", "internal/metrics", "internal/traffic", "internal/e2e", "internal/eval", "cmd/..."}},
	{Module: "github.com/tmc/langchaingo/llms/openai", In: []string{"internal/llm"}},
	{Module: "github.com/tmc/langchaingo/llms/anthropic", In: []string{"internal/llm"}},
	{Module: "github.com/cenkalti/backoff/v5", In: []string{"internal/llm", "tools"}},
	{Module: "github.com/sony/gobreaker/v2", In: []string{"internal/llm", "internal/evalcache", "tools"}},

	// One package each.
	{Module: "github.com/fsnotify/fsnotify", In: []string{"internal/changes"}},
	{Module: "github.com/looplab/fsm", In: []string{"rules"}},
	{Module: "modernc.org/sqlite", In: []string{"store/sqlite"}},
	{Module: "github.com/jackc/pgx/v5", In: []string{"store/postgres/..."}},
	{Module: "github.com/caarlos0/env/v11", In: []string{"internal/config"}},
	{Module: "github.com/joho/godotenv", In: []string{"internal/config"}},
	{Module: "github.com/google/jsonschema-go", In: []string{"tools", "scenario", "agent/scenarios"}},
	{Module: "github.com/goccy/go-yaml", In: []string{"internal/metrics", "scenario", "agent/scenarios", "index/load"}},
	{Module: "github.com/clipperhouse/uax29/v2", In: []string{"index/text"}},
	{Module: "github.com/kljensen/snowball", In: []string{"index/text"}},
	{Module: "github.com/yuin/goldmark", In: []string{"index", "index/load", "internal/repl"}},
	{Module: "github.com/sabhiram/go-gitignore", In: []string{"index", "index/load"}},

	{Module: "github.com/viterin/vek", In: []string{"index"}},

	// Traces: the API in one package, the SDK in tests.
	{Module: "go.opentelemetry.io/otel", In: []string{"graph/otel", "internal/metrics/..."}},
	{Module: "go.opentelemetry.io/otel/sdk", In: []string{"internal/metrics/traces", "cmd/..."}, Tests: true},
	{Module: "go.opentelemetry.io/otel/exporters", In: []string{"internal/metrics/traces", "cmd/..."}},

	// The terminal.
	{Module: "github.com/spf13/cobra", In: []string{"cmd/...", "internal/manpage"}},
	{Module: "github.com/spf13/pflag", In: []string{"cmd/...", "internal/manpage"}},
	{Module: "github.com/lmittmann/tint", In: []string{"cmd/..."}},
	{Module: "github.com/schollz/progressbar/v3", In: []string{"cmd/..."}},
	{Module: "github.com/mattn/go-colorable", In: []string{"cmd/...", "internal/repl"}},
	{Module: "github.com/mattn/go-isatty", In: []string{"cmd/...", "internal/repl"}},
	{Module: "github.com/reeflective/readline", In: []string{"internal/repl"}},
	{Module: "github.com/rivo/uniseg", In: []string{"internal/repl", "internal/termtest"}},
	{Module: "golang.org/x/term", In: []string{"internal/repl", "cmd/..."}},

	// The extended standard library.
	{Module: "golang.org/x/sync", In: []string{"index/...", "tools", "scenario", "nodes", "agent/...", "store/...", "internal/llm", "internal/repl", "internal/eval", "server", "cmd/..."}},
	{Module: "golang.org/x/text", In: []string{"index/...", "tools/..."}},
	{Module: "golang.org/x/time", In: []string{"internal/llm"}},
	{Module: "golang.org/x/net", In: []string{"tools/...", "index/load", "internal/readable", "internal/crawl"}},

	// Pages of the web.
	{Module: "github.com/JohannesKaufmann/html-to-markdown/v2", In: []string{"internal/readable"}},
	{Module: "github.com/temoto/robotstxt", In: []string{"internal/crawl"}},
	{Module: "github.com/go-shiori/go-readability", In: []string{"internal/readable"}},

	// Formats of files.
	{Module: "github.com/gogs/chardet", In: []string{"index/load"}},

	{Module: "github.com/redis/go-redis/v9", In: []string{"internal/evalcache"}},
	{Module: "github.com/prometheus/client_golang", In: []string{"internal/metrics"}},
	{Module: "github.com/prometheus/client_model", In: []string{"internal/metrics"}},
	{Module: "github.com/prometheus/common", In: []string{"internal/metrics"}},

	// Tests only.
	{Module: "github.com/stretchr/testify", Tests: true},
	{Module: "pgregory.net/rapid", Tests: true},
	{Module: "go.uber.org/goleak", Tests: true},
	{Module: "github.com/rogpeppe/go-internal", Tests: true},
	{Module: "github.com/rogpeppe/go-internal/diff", In: []string{"scenario"}, Tests: true},
	{Module: "github.com/creack/pty", In: []string{"internal/termtest"}, Tests: true},
}

// Environment lists the functions of package os that read or change the environment, and who may use them besides tests:
// one package, the two that ask the terminal's own variables, and the test kit that asks whether it may skip.
var (
	environmentFunctions = []string{"Getenv", "LookupEnv", "Environ", "ExpandEnv", "Setenv", "Unsetenv", "Clearenv"}
	environmentReader    = "internal/config"
	terminalPackages     = []string{"internal/repl", "cmd/..."}
	terminalVariables    = []string{"NO_COLOR", "TERM", "TERM_PROGRAM", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION"}
	testKit              = "store/postgres/pgtest"
	testKitVariable      = "CI"
)
