package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/state"
)

// shelf is a library of scripted hits over real folders.
type shelf struct {
	roots []string
	hits  []index.Hit
	files []index.File
	texts map[string]index.Text
	err   error
	k     int
}

func (s *shelf) Keyword(_ context.Context, _ string, k int) ([]index.Hit, error) {
	s.k = k
	return s.hits, s.err
}
func (s *shelf) Vector(_ context.Context, _ string, k int) ([]index.Hit, error) {
	s.k = k
	return s.hits, s.err
}
func (s *shelf) Hybrid(_ context.Context, _ string, _ []string, k int) ([]index.Hit, error) {
	s.k = k
	return s.hits, s.err
}
func (s *shelf) Grep(context.Context, string, int) ([]index.Hit, error) { return s.hits, s.err }
func (s *shelf) Files(context.Context, string) ([]index.File, error)    { return s.files, s.err }
func (s *shelf) Roots(context.Context) ([]string, error)                { return s.roots, s.err }
func (s *shelf) Text(_ context.Context, _, path string) (index.Text, error) {
	return s.texts[path], s.err
}

func run(t *testing.T, lib Library, tool, args string) (Result, error) {
	t.Helper()
	found, ok := NewSet(Local(lib)...).Lookup(tool)
	require.True(t, ok, tool)
	return found.Call(t.Context(), json.RawMessage(args))
}

func code(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestSearchesTurnHitsIntoEvidenceOfTheirTool(t *testing.T) {
	lib := &shelf{hits: []index.Hit{{
		Passage: index.Passage{ID: "x", Path: "a.md", Title: "T", Section: "S", StartLine: 2, EndLine: 3, StartByte: 4, EndByte: 9, Content: "hello", Language: "en"},
		Score:   .5, Kind: index.KindBM25,
	}}}
	for _, tool := range []string{"keyword_search", "vector_search", "hybrid_search"} {
		r, err := run(t, lib, tool, `{"query": "hello"}`)
		require.NoError(t, err)
		want := state.Evidence{ID: "x", Tool: tool, Path: "a.md", Title: "T", Section: "S", StartLine: 2, EndLine: 3, StartByte: 4, EndByte: 9,
			Content: "hello", RetrievalScore: .5, ScoreKind: state.ScoreBM25, Language: "en"}
		assert.Equal(t, []state.Evidence{want}, r.Items)
		assert.Equal(t, DefaultK, lib.k)
	}
	_, err := run(t, lib, "keyword_search", `{"query": "hello", "k": 999}`)
	require.NoError(t, err)
	assert.Equal(t, MaxK, lib.k, "k is clamped")
}

func TestNothingFoundIsANoteAndNeverAnError(t *testing.T) {
	for _, c := range []struct{ tool, args string }{
		{"keyword_search", `{"query":"x"}`}, {"vector_search", `{"query":"x"}`}, {"hybrid_search", `{"query":"x"}`},
		{"grep", `{"pattern":"x"}`}, {"list_files", `{"pattern":"*.x"}`},
	} {
		r, err := run(t, &shelf{}, c.tool, c.args)
		require.NoError(t, err, c.tool)
		assert.Empty(t, r.Items)
		assert.Contains(t, r.Note, "no_results", c.tool)
	}
}

func TestArgumentsThatDoNotFitAreRefusedWithTheReason(t *testing.T) {
	for claim, c := range map[string]struct{ tool, args, reason string }{
		"a missing argument":    {"keyword_search", `{}`, "query"},
		"a wrong type":          {"keyword_search", `{"query": 7}`, "string"},
		"an unknown argument":   {"keyword_search", `{"query": "x", "limit": 3}`, "limit"},
		"no JSON":               {"keyword_search", `query=x`, "no JSON"},
		"an array":              {"keyword_search", `["x"]`, "object"},
		"nothing":               {"read_file", ``, "path"},
		"no regular expression": {"grep", `{"pattern": "("}`, "regular expression"},
		"an empty pattern":      {"grep", `{"pattern": ""}`, "pattern is empty"},
		"an empty path":         {"read_file", `{"path": ""}`, "path is empty"},
	} {
		t.Run(claim, func(t *testing.T) {
			_, err := run(t, &shelf{}, c.tool, c.args)
			assert.Equal(t, CodeBadArguments, code(err))
			assert.ErrorContains(t, err, c.reason)
		})
	}
}

func TestVectorSearchWithoutEmbeddingsIsUnavailable(t *testing.T) {
	_, err := run(t, &shelf{err: index.ErrNoEmbedder}, "vector_search", `{"query":"x"}`)
	assert.Equal(t, CodeUnavailable, code(err))
}

func TestCheckBringsArgumentsIntoOneForm(t *testing.T) {
	tool := KeywordSearch(&shelf{})
	a, err := tool.Check(json.RawMessage(`{"k": 3, "query": "x"}`))
	require.NoError(t, err)
	b, err := tool.Check(json.RawMessage(` {"query":"x","k":3}`))
	require.NoError(t, err)
	assert.Equal(t, string(a), string(b))
}

func TestErrorsOfToolsGetACode(t *testing.T) {
	assert.Equal(t, CodeTimeout, AsError(fmt.Errorf("x: %w", context.DeadlineExceeded)).Code)
	assert.Equal(t, CodeFailed, AsError(errors.New("x")).Code)
	assert.Equal(t, CodeNotFound, AsError(fmt.Errorf("x: %w", &Error{Code: CodeNotFound})).Code)
}

func TestListFilesSaysHowManyItLeftOut(t *testing.T) {
	lib := &shelf{}
	for i := range ListLimit + 5 {
		lib.files = append(lib.files, index.File{Path: fmt.Sprintf("%03d.md", i), Lines: 2})
	}
	r, err := run(t, lib, "list_files", `{}`)
	require.NoError(t, err)
	assert.Empty(t, r.Items, "a list is no evidence")
	assert.Contains(t, r.Note, "000.md (2 lines)")
	assert.Contains(t, r.Note, "and 5 more")
}

func TestEveryToolDescribesItselfAndItsArguments(t *testing.T) {
	for _, tool := range Local(&shelf{}) {
		assert.NotEmpty(t, tool.Description, tool.Name)
		schema, err := json.Marshal(tool.Schema)
		require.NoError(t, err)
		assert.Contains(t, string(schema), `"description"`, tool.Name)
	}
	assert.Panics(t, func() { NewSet(Grep(&shelf{}), Grep(&shelf{})) })
}

// folder makes files under a new root and returns it.
func folder(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return root
}

func TestReadFileClampsTheRange(t *testing.T) {
	root := folder(t, map[string]string{"sub/a.md": "one\ntwo\nthree\n", "crlf.txt": "a\r\nb\r\n", "empty.md": " \n"})
	lib := &shelf{roots: []string{root}, files: listed(root, "sub/a.md", "crlf.txt", "empty.md")}
	for claim, c := range map[string]struct {
		args        string
		content     string
		first, last int
		start, end  int
	}{
		"the whole file":           {`{"path":"sub/a.md"}`, "one\ntwo\nthree", 1, 3, 0, 13},
		"a range":                  {`{"path":"sub/a.md","start_line":2,"end_line":2}`, "two", 2, 2, 4, 7},
		"from a line on":           {`{"path":"sub/a.md","start_line":2}`, "two\nthree", 2, 3, 4, 13},
		"an end behind the file":   {`{"path":"sub/a.md","start_line":3,"end_line":99}`, "three", 3, 3, 8, 13},
		"a start behind the file":  {`{"path":"sub/a.md","start_line":99}`, "three", 3, 3, 8, 13},
		"a start below one":        {`{"path":"sub/a.md","start_line":-5,"end_line":1}`, "one", 1, 1, 0, 3},
		"an end before the start":  {`{"path":"sub/a.md","start_line":2,"end_line":1}`, "two", 2, 2, 4, 7},
		"CRLF lines":               {`{"path":"crlf.txt","start_line":2}`, "b", 2, 2, 3, 4},
		"a path that is not clean": {`{"path":"./sub/../sub/a.md","end_line":1}`, "one", 1, 1, 0, 3},
		"an absolute path inside":  {fmt.Sprintf(`{"path":%q,"end_line":1}`, filepath.Join(root, "sub", "a.md")), "one", 1, 1, 0, 3},
	} {
		t.Run(claim, func(t *testing.T) {
			r, err := run(t, lib, "read_file", c.args)
			require.NoError(t, err)
			require.Len(t, r.Items, 1)
			item := r.Items[0]
			assert.Equal(t, c.content, item.Content)
			assert.Equal(t, [4]int{c.first, c.last, c.start, c.end}, [4]int{item.StartLine, item.EndLine, item.StartByte, item.EndByte})
			assert.Equal(t, "read_file", item.Tool)
			assert.NotContains(t, item.Path, root, "the path is relative to the root")
		})
	}
}

func TestAFileWithoutTextIsNoEvidence(t *testing.T) {
	root := folder(t, map[string]string{"empty.md": " \n"})
	r, err := run(t, &shelf{roots: []string{root}, files: listed(root, "empty.md")}, "read_file", `{"path":"empty.md"}`)
	require.NoError(t, err)
	assert.Empty(t, r.Items, "the rule read_file would approve it")
	assert.Contains(t, r.Note, "no_results")
}

// listed are the files of a root as an index lists them.
func listed(root string, paths ...string) []index.File {
	var files []index.File
	for _, p := range paths {
		files = append(files, index.File{Path: p, Root: root})
	}
	return files
}

func TestReadFileReturnsTheTextOfAConvertedFile(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "manual.pdf"), []byte("%PDF-1.7\x00"), 0o600))
	lib := &shelf{roots: []string{root}, files: listed(root, "manual.pdf"), texts: map[string]index.Text{"manual.pdf": {Converted: true, Content: "one\ntwo\nthree\n"}}}
	r, err := run(t, lib, "read_file", `{"path":"manual.pdf","start_line":2,"end_line":3}`)
	require.NoError(t, err)
	assert.Equal(t, "two\nthree", r.Items[0].Content)
	assert.Equal(t, [2]int{2, 3}, [2]int{r.Items[0].StartLine, r.Items[0].EndLine})
}

func TestReadFileReturnsAPageOfTheWebFromTheIndex(t *testing.T) {
	const address = "https://kb.example/docs/a?x=1"
	lib := &shelf{files: []index.File{{Root: "https://kb.example/docs/", Path: address, Lines: 3}}, texts: map[string]index.Text{address: {Content: "one\ntwo\nthree\n"}}}
	r, err := run(t, lib, "read_file", `{"path":"`+address+`","start_line":2,"end_line":2}`)
	require.NoError(t, err)
	require.Len(t, r.Items, 1)
	assert.Equal(t, "two", r.Items[0].Content)
	assert.Equal(t, address, r.Items[0].Path)
}

func TestReadFileStaysInItsRoots(t *testing.T) {
	outside := folder(t, map[string]string{"secret.md": "secret"})
	root := folder(t, map[string]string{"a.md": "a", "sub/b.md": "b", "binary.md": "a\x00b", "latin.md": "caf\xe9", "wide.md": strings.Repeat("x", MaxReadBytes+1), "big.md": strings.Repeat("x\n", MaxReadBytes)})
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(root, "link.md")))
	require.NoError(t, os.Symlink(outside, filepath.Join(root, "dir")))
	require.NoError(t, os.Symlink(filepath.Join(root, "a.md"), filepath.Join(root, "inner.md")))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".env"), []byte("KEY=secret"), 0o600))
	lib := &shelf{roots: []string{root}, files: listed(root, "a.md", "sub/b.md", "binary.md", "latin.md", "big.md", "wide.md", "link.md", "inner.md", "gone.md")}
	for claim, c := range map[string]struct {
		path string
		want Code
	}{
		"a hidden file that is not indexed":   {".env", CodeNotFound},
		"a file that is gone":                 {"gone.md", CodeNotFound},
		"a file that is not there":            {"none.md", CodeNotFound},
		"the parent folder":                   {"../secret.md", CodeAccessDenied},
		"the parent in the middle":            {"sub/../../x/secret.md", CodeAccessDenied},
		"an absolute path":                    {filepath.Join(outside, "secret.md"), CodeAccessDenied},
		"a link that leads out":               {"link.md", CodeAccessDenied},
		"a linked folder that leads out":      {"dir/secret.md", CodeNotFound},
		"a folder":                            {"sub", CodeNotAFile},
		"the root itself":                     {".", CodeNotAFile},
		"a binary file":                       {"binary.md", CodeNotAFile},
		"a file that is not UTF-8":            {"latin.md", CodeNotAFile},
		"a line longer than one call returns": {"wide.md", CodeTooLarge},
		"a folder of a similar name":          {filepath.Base(root) + "x", CodeNotFound},
	} {
		t.Run(claim, func(t *testing.T) {
			_, err := run(t, lib, "read_file", fmt.Sprintf(`{"path":%q}`, c.path))
			assert.Equal(t, c.want, code(err), "%v", err)
		})
	}
	t.Run("a refusal names the allowed roots and not what it refused to read", func(t *testing.T) {
		_, err := run(t, lib, "read_file", `{"path":"link.md"}`)
		assert.ErrorContains(t, err, root)
		assert.NotContains(t, err.Error(), outside)
	})
	t.Run("a link inside the root is followed", func(t *testing.T) {
		r, err := run(t, lib, "read_file", `{"path":"inner.md"}`)
		require.NoError(t, err)
		assert.Equal(t, "a", r.Items[0].Content)
	})
	t.Run("of a large file the first part is read, and a note says what is left", func(t *testing.T) {
		r, err := run(t, lib, "read_file", `{"path":"big.md"}`)
		require.NoError(t, err)
		assert.LessOrEqual(t, len(r.Items[0].Content), MaxReadBytes)
		assert.Contains(t, r.Note, fmt.Sprintf("only lines 1-%d of %d", MaxReadBytes/2, MaxReadBytes))
		_, err = run(t, lib, "read_file", `{"path":"big.md","start_line":1,"end_line":60000}`)
		assert.Equal(t, CodeTooLarge, code(err), "a range that was asked for is not cut in silence")
	})
	t.Run("a large file can be read in parts", func(t *testing.T) {
		r, err := run(t, lib, "read_file", `{"path":"big.md","start_line":10,"end_line":11}`)
		require.NoError(t, err)
		assert.Equal(t, "x\nx", r.Items[0].Content)
	})
	t.Run("a file that was indexed by its name is read outside of the roots", func(t *testing.T) {
		lib := &shelf{roots: []string{root}, files: []index.File{{Path: "secret.md", Root: outside}}}
		r, err := run(t, lib, "read_file", `{"path":"secret.md"}`)
		require.NoError(t, err)
		assert.Equal(t, "secret", r.Items[0].Content)
	})
	t.Run("the second root is read too", func(t *testing.T) {
		lib := &shelf{roots: []string{root, outside}, files: listed(outside, "secret.md")}
		r, err := run(t, lib, "read_file", `{"path":"secret.md"}`)
		require.NoError(t, err)
		assert.Equal(t, "secret", r.Items[0].Content)
	})
}
