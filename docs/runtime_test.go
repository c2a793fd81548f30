package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The pages about the runtime show code that is compiled and run, and this is how it stays so: the first line of each of
// their Go blocks names what it shows, as in "```go ExampleAsk" or "```go sqlite.ExampleOpen".

// examplePackages are the folders whose tests the pages show, by the name of the package.
var examplePackages = map[string]string{
	"":         "graph",
	"sqlite":   "store/sqlite",
	"postgres": "store/postgres",
	"sealed":   "graph/sealed",
	"otel":     "graph/otel",
	"scenario": "scenario",
}

// goBlock is a Go block of a page: the names behind "go", and the lines.
var goBlock = regexp.MustCompile("(?sm)^```go([^\n]*)\n(.*?)^```")

func TestEveryGoBlockOfTheRuntimePagesIsPartOfTheExampleThatItNames(t *testing.T) {
	for _, page := range []string{"runtime.md", "adding-a-store.md", "scenarios.md"} {
		for _, block := range goBlock.FindAllStringSubmatch(read(t, page), -1) {
			names := strings.Fields(block[1])
			if !assert.NotEmpty(t, names, "%s: a Go block names no example:\n%s", page, block[2]) {
				continue
			}
			source := ""
			for _, name := range names {
				source += declaration(t, name)
			}
			missing := notIn(source, block[2])
			assert.Empty(t, missing, "%s: not what %s says", page, strings.Join(names, ", "))
		}
	}
}

// What the package exports is explained in the manual, what only stores need in the page about them: every function,
// type, constant and variable, and the methods of what a user holds in the hand.
func TestTheManualNamesAllThatTheRuntimeExports(t *testing.T) {
	pages := read(t, "runtime.md") + read(t, "adding-a-store.md")
	for _, name := range exported(t, "graph") {
		named := regexp.MustCompile(`\b` + name + `\b`).MatchString(pages)
		assert.True(t, named, "docs/runtime.md does not name %s", name)
	}
}

// A link to another page, or to a heading of a page, leads there.
func TestEveryLinkOfTheManualLeadsSomewhere(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	require.NoError(t, err)
	for _, page := range pages {
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(prose(read(t, page)), -1) {
			path, heading, _ := strings.Cut(link[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			if path == "" {
				path = page
			}
			if !assert.FileExists(t, path, "%s links to %s", page, link[1]) || heading == "" {
				continue
			}
			assert.Contains(t, anchors(prose(read(t, path))), heading, "%s links to %s", page, link[1])
		}
	}
}

// prose is a page without its code.
func prose(page string) string {
	page = regexp.MustCompile("(?sm)^[ \t]*```.*?^[ \t]*```").ReplaceAllString(page, "")
	return regexp.MustCompile("`[^`]*`").ReplaceAllStringFunc(page, func(code string) string { return strings.Trim(code, "`[]()") })
}

// anchors are the ids that GitHub gives to the headings of a page.
func anchors(page string) []string {
	var list []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		id := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		list = append(list, strings.ReplaceAll(id, " ", "-"))
	}
	return list
}

func read(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// notIn returns the first paragraph of shown that is no run of lines of source, or comes before the one shown earlier.
// Indentation does not count, and a line "…" stands for lines that are left out.
func notIn(source, shown string) string {
	source = flat(source)
	for _, part := range regexp.MustCompile(`\n\s*(?:…\s*)?\n`).Split(strings.ReplaceAll(shown, "\n…\n", "\n\n"), -1) {
		part = strings.Trim(flat(part), "\n")
		at := strings.Index(source, "\n"+part+"\n")
		if at < 0 {
			return part
		}
		source = source[at+len(part)+1:]
	}
	return ""
}

// flat takes the indentation from all lines.
func flat(text string) string {
	return "\n" + regexp.MustCompile(`(?m)^[ \t]+|[ \t]+$`).ReplaceAllString(text, "") + "\n"
}

// declaration is the source of what a block names: a function, a method like Draft.Apply, or a type with its methods.
func declaration(t *testing.T, name string) string {
	pkg, local := "", name
	if before, after, found := strings.Cut(name, "."); found && examplePackages[before] != "" {
		pkg, local = before, after
	}
	source, ok := declarations(t, examplePackages[pkg])[local]
	assert.True(t, ok, "no test of %s declares %s", examplePackages[pkg], local)
	return source
}

// declarations are the sources of what the tests of a package declare, by name.
func declarations(t *testing.T, folder string) map[string]string {
	list := map[string]string{}
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(folder), "*_test.go"))
	require.NoError(t, err)
	for _, path := range files {
		text := read(t, path)
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range file.Decls {
			from, to := set.Position(d.Pos()).Offset, set.Position(d.End()).Offset
			for _, name := range namesOf(d) {
				list[name] += text[from:to] + "\n"
			}
		}
	}
	return list
}

// exported lists what a package exports, the methods of its big types included.
func exported(t *testing.T, folder string) []string {
	var list []string
	files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(folder), "*.go"))
	require.NoError(t, err)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			for _, name := range namesOf(d) {
				owner, method, isMethod := strings.Cut(name, ".")
				switch {
				case !isMethod && ast.IsExported(owner):
					list = append(list, owner)
				case isMethod && ast.IsExported(method) && strings.Contains(" App Thread Graph ", " "+owner+" "):
					list = append(list, method)
				}
			}
		}
	}
	require.NotEmpty(t, list)
	return list
}

// namesOf are the names of a declaration; a method is "Type.Method".
func namesOf(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []string{d.Name.Name}
		}
		return []string{fmt.Sprintf("%s.%s", receiver(d.Recv.List[0].Type), d.Name.Name)}
	case *ast.GenDecl:
		var names []string
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					names = append(names, n.Name)
				}
			}
		}
		return names
	}
	return nil
}

// receiver is the name of a method's type without pointer and parameters.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
