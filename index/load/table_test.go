package load_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index/load"
)

func TestRowsRepeatTheirColumnsOnTheLinesOfTheFile(t *testing.T) {
	got := lines(read(t, "parts.csv", testdata(t, "parts.csv")))
	assert.Equal(t, "Columns: Part, Price, Stock, Remark (4 rows).", got[1])
	assert.Equal(t, "Part: M6 bolt; Price: 0.12; Stock: 900; Remark: Zinc plated, not for outdoor use.", got[2])
	assert.Empty(t, got[3], "the row takes two lines of the file")
	assert.Equal(t, "Part: M8 bolt; Price: 0.19; Stock: 0.", got[4], "an empty field is left out")
	assert.Equal(t, "Part: 螺母; Price: 0.08; Stock: 1200; Remark: 常用.", got[6])
}

func TestTables(t *testing.T) {
	for name, tt := range map[string]struct{ file, in, want string }{
		"tabs":                              {"a.tsv", "Name\tPort\nssh\t22\n", "Columns: Name, Port (1 row).\nName: ssh; Port: 22.\n"},
		"semicolons":                        {"a.csv", "Name;Preis\nBolzen;1,50\n", "Columns: Name, Preis (1 row).\nName: Bolzen; Preis: 1,50.\n"},
		"no header: the rows move one down": {"a.csv", "ssh,22\nhttp,80\n", "Columns: column 1, column 2 (2 rows).\ncolumn 1: ssh; column 2: 22.\ncolumn 1: http; column 2: 80.\n"},
		"a row with more fields":            {"a.csv", "a,b\n1,2,3\n", "Columns: a, b (1 row).\na: 1; b: 2; column 3: 3.\n"},
		"a column without a name":           {"a.csv", "a,,c\n1,2,3\n", "Columns: a, column 2, c (1 row).\na: 1; column 2: 2; c: 3.\n"},
		"a quote in the middle of a field":  {"a.csv", "a,b\n5\" disk,x\n", "Columns: a, b (1 row).\na: 5\" disk; b: x.\n"},
		"only a header":                     {"a.csv", "a,b\n", "Columns: a, b (0 rows).\n"},
		"line breaks of Windows, a mark":    {"a.csv", "\ufeffa,b\r\n1,2\r\n", "Columns: a, b (1 row).\na: 1; b: 2.\n"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tt.want, read(t, tt.file, tt.in).Text) })
	}
}

func TestRowsAboveTheLimitAreCounted(t *testing.T) {
	f := newFiles(t, load.Options{MaxRows: 2})
	loaded, err := f.Load(t.Context(), "a.csv", []byte("n\n"+strings.Repeat("x\n", 5)))
	require.NoError(t, err)
	assert.Equal(t, "Columns: n (5 rows, the first 2 are here).\nn: x.\nn: x.\n", loaded.Text)
}

func TestATableThatMultipliesItsHeaderIsBounded(t *testing.T) {
	header := strings.Repeat("a", 60)
	for i := range 100 {
		header += "," + strings.Repeat("b", 50) + strings.Repeat("c", i)
	}
	require.ErrorIs(t, refused(t, "a.csv", header+"\n"+strings.Repeat(strings.Repeat("1,", 100)+"\n", 5000)), load.ErrTooLarge)
}
