package load_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHeadingsOfReStructuredText(t *testing.T) {
	source := testdata(t, "guide.rst")
	loaded := read(t, "guide.rst", source)
	assert.Equal(t, source, loaded.Text, "text stays as it is")
	assert.Equal(t, "The Guide", loaded.Title)
	assert.Equal(t, []outline{{1, 1, "The Guide"}, {8, 2, "Install"}, {15, 3, "Linux"}, {26, 2, "配置"}}, marks(loaded))
}

func TestHeadingsOfAsciiDocOutsideOfListings(t *testing.T) {
	loaded := read(t, "guide.adoc", testdata(t, "guide.adoc"))
	assert.Equal(t, "The Guide", loaded.Title)
	assert.Equal(t, []outline{{1, 1, "The Guide"}, {6, 2, "Install"}, {12, 3, "Linux"}}, marks(loaded))
}

func TestHeadingsOfOrgOutsideOfBlocks(t *testing.T) {
	loaded := read(t, "a.org", "* Plan :work:\ntext\n#+BEGIN_SRC sh\n* not one\n#+END_SRC\n** TODO Buy 螺母\n*bold* text\n")
	assert.Equal(t, []outline{{1, 1, "Plan"}, {6, 2, "Buy 螺母"}}, marks(loaded))
}

func TestDeclarationsAreBlocksWithTheirComments(t *testing.T) {
	loaded := read(t, "stack.go", testdata(t, "stack.go.txt"))
	assert.Equal(t, []outline{{1, 0, ""}, {4, 0, ""}, {6, 0, "ErrEmpty"}, {9, 0, "Stack"}, {16, 0, "Stack.Push"}, {21, 0, "Stack.Pop"}}, marks(loaded))
}

func TestNamesOfDeclarations(t *testing.T) {
	for line, want := range map[string]string{
		"func Open(path string) error {":                   "Open",
		"func (x *Index) Text(ctx context.Context) {":      "Index.Text",
		"func (s Stack[T]) Len() int {":                    "Stack.Len",
		"type Server struct {":                             "Server",
		"def load(self, path):":                            "load",
		"class Handler(Base):":                             "Handler",
		"export default function render(props) {":          "render",
		"export const limit = 3;":                          "limit",
		"pub(crate) fn parse<T>(s: &str) -> T {":           "parse",
		"public static void main(String[] args) {":         "main",
		"static int compare(const void *a, const void *b)": "compare",
		"public abstract class Shape {":                    "Shape",
		"CREATE TABLE IF NOT EXISTS users (":               "users",
		"build: main.go":                                   "build",
		"server:":                                          "server",
		"[tool.black]":                                     "tool.black",
		"service Greeter {":                                "Greeter",
		"if (x) {":                                         "",
		"import os":                                        "",
		"x = call(y)":                                      "",
	} {
		got := marks(read(t, "a.py", line+"\n"))
		if assert.Len(t, got, 1, line) {
			assert.Equal(t, want, got[0].Title, line)
		}
	}
}

func TestALongClassIsCutBetweenItsMethods(t *testing.T) {
	source := "class Big:\n    \"\"\"Doc.\"\"\"\n\n"
	for _, name := range []string{"one", "two", "three"} {
		source += "    def " + name + "(self):\n" + strings.Repeat("        work()\n", 25) + "\n"
	}
	assert.Equal(t, []outline{{1, 0, "Big"}, {4, 0, "Big.one"}, {31, 0, "Big.two"}, {58, 0, "Big.three"}}, marks(read(t, "a.py", source)))
}

func TestCodeKeepsBlankLinesOfAFunctionInside(t *testing.T) {
	loaded := read(t, "a.js", "function a() {\n  x();\n\n  y();\n}\n\nfunction b() {\n}\n")
	assert.Equal(t, []outline{{1, 0, "a"}, {7, 0, "b"}}, marks(loaded))
}
