package load_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/load"
)

// known are the errors that Load may return.
var known = []error{load.ErrTooLarge, load.ErrMalformed, load.ErrEncoding, load.ErrNoText, load.ErrEncrypted, index.ErrSkip, context.DeadlineExceeded}

// fuzz loads whatever is found under names, with little time and little text, and checks what a Loader promises.
func fuzz(f *testing.F, names ...string) {
	files := newFiles(f, load.Options{Timeout: 5 * time.Second, MaxTextBytes: 1 << 20})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range names {
			loaded, err := files.Load(t.Context(), name, data)
			if err != nil {
				if !isKnown(err) {
					t.Fatalf("%s: %v is no error of the package", name, err)
				}
				continue
			}
			checkLoaded(t, name, loaded)
		}
	})
}

func isKnown(err error) bool {
	for _, k := range known {
		if errors.Is(err, k) {
			return true
		}
	}
	return false
}

func checkLoaded(t *testing.T, name string, loaded index.Loaded) {
	if !utf8.ValidString(loaded.Text) || !utf8.ValidString(loaded.Title) || strings.Contains(loaded.Text, "\x00") {
		t.Fatalf("%s: %q or its title %q is no text", name, loaded.Text, loaded.Title)
	}
	last, lines := 1, strings.Count(loaded.Text, "\n")+1
	for _, m := range loaded.Marks {
		if m.Line < last || m.Line > lines || m.Level < 0 || !utf8.ValidString(m.Title) {
			t.Fatalf("%s: mark %+v after line %d of %d", name, m, last, lines)
		}
		last = m.Line
	}
}

func FuzzText(f *testing.F) {
	for _, name := range []string{"guide.rst", "guide.adoc", "stack.go.txt"} {
		f.Add([]byte(testdata(f, name)))
	}
	for _, s := range []string{"\xff\xfea\x00", "a\x00b\x00c\x00d\x00", "caf\xe9", "\xca\xfd\xbe\xdd\xbf\xe2", "\x1b$B", "===\nA\n===\n", "* a\n#+BEGIN_X\n", "----\n= a\n"} {
		f.Add([]byte(s))
	}
	fuzz(f, "a.txt", "a.rst", "a.adoc", "a.org", "a.go", "a.md")
}

func FuzzTable(f *testing.F) {
	f.Add([]byte(testdata(f, "parts.csv")))
	for _, s := range []string{"a,b\n\"x\ny\",2\n", "a\tb\n1\n\n\n2\t3", "\"", ";;;\n,", "1,2\n\r\n3"} {
		f.Add([]byte(s))
	}
	fuzz(f, "a.csv", "a.tsv")
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(testdata(f, "answers.jsonl")))
	for _, s := range []string{`[{"title":"a","text":"b\nc"},{}]`, `{"a":{"b":[1,[2,{"c":null}]]}}`, `"x"`, `[[[`, `{"\u0000":"\ud800"}`} {
		f.Add([]byte(s))
	}
	fuzz(f, "a.json", "a.jsonl")
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte(testdata(f, "page.html")))
	for _, s := range []string{"<table><tr><td rowspan=9 colspan=9>x<tr>", "<meta charset=gbk>\xca\xfd", "<svg><p><math><b></svg>", "<pre><code class=language-x>`` ```</pre>"} {
		f.Add([]byte(s))
	}
	fuzz(f, "a.html")
}

func FuzzDOCX(f *testing.F) {
	f.Add([]byte(document(paragraph("berschrift1", "A"), item(2, "b"), table(cells("c", "d"), cells("e")))))
	f.Add([]byte("PK\x03\x04"))
	fuzz(f, "a.docx")
}

// FuzzDOCXText fuzzes the XML inside of the ZIP file.
func FuzzDOCXText(f *testing.F) {
	f.Add(paragraph("berschrift1", "A") + table(cells("c", "d"), cells("e")))
	f.Add("<w:tc></w:tr></w:tbl><w:tbl><w:tr><w:tbl></w:tc><w:p><w:t>x")
	files := newFiles(f, load.Options{Timeout: 5 * time.Second, MaxTextBytes: 1 << 20})
	f.Fuzz(func(t *testing.T, body string) {
		loaded, err := files.Load(t.Context(), "a.docx", []byte(document(body)))
		if err == nil {
			checkLoaded(t, "a.docx", loaded)
		} else if !isKnown(err) {
			t.Fatalf("%v is no error of the package", err)
		}
	})
}

func FuzzPDF(f *testing.F) {
	f.Add([]byte(handbook()))
	f.Add([]byte(onePage("BT /F1 10 Tf 50 700 Td (x) Tj ET")))
	fuzz(f, "a.pdf")
}

// FuzzPDFContent fuzzes what a page draws.
func FuzzPDFContent(f *testing.F) {
	for _, s := range []string{"BT /F1 10 Tf 50 700 Td [(one) -300 (two)] TJ ET", "q 1 0 0 1 0 0 cm BT 0 1 -1 0 9 9 Tm (x) ' ET Q Q", "<< /a [ (b) <c", "1e999 Tz (x) Tj", "BI ID x EI"} {
		f.Add(s)
	}
	files := newFiles(f, load.Options{Timeout: 5 * time.Second, MaxTextBytes: 1 << 20})
	f.Fuzz(func(t *testing.T, content string) {
		loaded, err := files.Load(t.Context(), "a.pdf", []byte(onePage(content)))
		if err == nil {
			checkLoaded(t, "a.pdf", loaded)
		} else if !isKnown(err) {
			t.Fatalf("%v is no error of the package", err)
		}
	})
}
