package load_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/load"
	"github.com/kbagent/kbagent/store/sqlite"
)

// openIndex opens an index whose loader is the package's.
func openIndex(t testing.TB) *index.Index {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "kb.db"), sqlite.Options{Synchronous: "NORMAL"})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	x, err := index.Open(t.Context(), db.Index(), nil, index.Options{Loader: newFiles(t, load.Options{})})
	require.NoError(t, err)
	return x
}

// folder writes files, name to bytes.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, data := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
	}
	return dir
}

func update(t testing.TB, x *index.Index, dir string) index.Report {
	t.Helper()
	report, err := x.Update(t.Context(), []string{dir}, index.UpdateOptions{})
	require.NoError(t, err)
	return report
}

// library is a folder with a file of each format.
func library(t testing.TB) map[string]string {
	gbk, err := simplifiedchinese.GBK.NewEncoder().String("# 密钥\n\n每个月轮换一次签名密钥，旧的密钥保留七天。\n")
	require.NoError(t, err)
	files := map[string]string{
		"handbook.docx": document(paragraph("berschrift1", "Vacation"), paragraph("", "Everybody has thirty days of vacation."),
			table(cells("Country", "Holidays"), cells("Norway", "twelve"), cells("日本", "十六天休假"))),
		"keys.txt":   gbk,
		"notes.md":   "# Notes\n\nThe coffee machine is descaled on Mondays.\n",
		"stack.go":   testdata(t, "stack.go.txt"),
		"ports.tsv":  "Service\tPort\nmetrics\t9100\n",
		"setup.org":  "* Setup\n** Printer\nThe printer queue is called walrus.\n",
		"broken.pdf": "%PDF-1.7\nnothing", "image.txt": "GIF89a\x01\x00\x01\x00", "photo.png": "PNG",
	}
	for _, name := range []string{"page.html", "handbook.pdf", "parts.csv", "guide.rst", "guide.adoc", "answers.jsonl"} {
		files[name] = testdata(t, name)
	}
	return files
}

func TestAFolderOfAllFormatsIsSearchedAndCitedByLines(t *testing.T) {
	x := openIndex(t)
	dir := folder(t, library(t))
	report := update(t, x, dir)
	assert.Equal(t, index.FileCounts{Indexed: 12, Skipped: 2, Failed: 1}, report.Files, "%v", report.Errors)
	assert.Contains(t, report.Errors[0].Error, "cut short")
	assert.Contains(t, report.Skips[0].Error, "binary file")

	for query, want := range map[string]struct {
		path, section, line string
	}{
		"log shipped every five minutes": {"page.html", "Schedule", "write-ahead log is shipped every five minutes"},
		"yearly archive kept for":        {"page.html", "Schedule", "| Yearly archive | 1 year | 10 years |"},
		"数据库备份保存三十天":                     {"page.html", "备份说明", "备份保存三十天"},
		"copy kept independent days":     {"handbook.pdf", "page 1", "each copy is kept for thirty independent"},
		"rotate once a month":            {"handbook.pdf", "page 3", "once a month."},
		"holidays in Norway":             {"handbook.docx", "Vacation", "| Norway | twelve |"},
		"休假":                             {"handbook.docx", "Vacation", "十六天休假"},
		"price of the M8 bolt":           {"parts.csv", "", "Part: M8 bolt; Price: 0.19; Stock: 0."},
		"port of metrics":                {"ports.tsv", "", "Service: metrics; Port: 9100."},
		"kbctl rotate reload":            {"answers.jsonl", "line 1: How do I rotate keys?", "Wait for the reload."},
		"备份在对象存储":                        {"answers.jsonl", "line 3: 备份在哪里？", "备份保存在对象存储中。"},
		"Pop removes the last value":     {"stack.go", "ErrEmpty, Stack, Stack.Push, Stack.Pop", "// Pop removes the last value."},
		"修改配置文件之后":                       {"guide.rst", "The Guide > 配置", "修改配置文件之后重新启动服务。"},
		"preamble of the guide":          {"guide.adoc", "The Guide", "Preamble."},
		"printer queue":                  {"setup.org", "Setup > Printer", "The printer queue is called walrus."},
		"签名密钥 七天":                        {"keys.txt", "", "旧的密钥保留七天"},
		"descaled":                       {"notes.md", "Notes", "The coffee machine is descaled on Mondays."},
	} {
		t.Run(query, func(t *testing.T) {
			hits, err := x.Keyword(t.Context(), query, 3)
			require.NoError(t, err)
			require.NotEmpty(t, hits)
			best := hits[0]
			assert.Equal(t, [2]string{want.path, want.section}, [2]string{best.Path, best.Section})
			assert.Contains(t, best.Content, want.line)

			text, err := x.Text(t.Context(), dir, best.Path)
			require.NoError(t, err)
			cited := strings.Split(text.Content, "\n")[best.StartLine-1 : best.EndLine]
			assert.Equal(t, best.Content, strings.Join(cited, "\n"), "the cited lines are the passage")
		})
	}
}

func TestTheTextOfAConvertedFileIsToldApart(t *testing.T) {
	x := openIndex(t)
	dir := folder(t, library(t))
	update(t, x, dir)
	for name, want := range map[string]bool{"page.html": true, "handbook.pdf": true, "handbook.docx": true, "parts.csv": true, "keys.txt": true,
		"notes.md": false, "stack.go": false, "guide.rst": false} {
		text, err := x.Text(t.Context(), dir, name)
		require.NoError(t, err)
		assert.Equal(t, want, text.Converted, name)
	}
}

func TestAnUnchangedFolderIsNotLoadedAgain(t *testing.T) {
	x := openIndex(t)
	dir := folder(t, library(t))
	update(t, x, dir)
	assert.Equal(t, index.FileCounts{Unchanged: 12, Skipped: 2, Failed: 1}, update(t, x, dir).Files)
}
