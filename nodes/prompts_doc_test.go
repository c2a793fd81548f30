package nodes

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fieldTable is what docs/prompts.md says about the fields of a prompt.
func fieldTable(c contract) string {
	var b strings.Builder
	b.WriteString("| field | type | stands | meaning |\n|---|---|---|---|\n")
	for _, f := range c.fields() {
		where := "anywhere"
		if f.Document {
			where = "in the fence"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Type, where, f.Meaning)
	}
	return b.String()
}

func TestTheManualListsWhatTemplatesMayUse(t *testing.T) {
	file := filepath.Join("..", "docs", "prompts.md")
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	page := strings.ReplaceAll(string(data), "\r\n", "\n")
	for _, c := range contracts {
		head := "<!-- fields " + c.name + " -->\n"
		before, rest, ok := strings.Cut(page, head)
		require.True(t, ok, "docs/prompts.md has no table of %s", c.name)
		table, after, ok := strings.Cut(rest, "<!-- end -->")
		require.True(t, ok)
		if *update {
			page = before + head + fieldTable(c) + "<!-- end -->" + after
			continue
		}
		assert.Equal(t, fieldTable(c), table, "run: go test ./nodes -run Manual -update")
	}
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o644))
	}
	for _, name := range promptFunctions {
		assert.Contains(t, page, "`"+name+"`")
	}
}
