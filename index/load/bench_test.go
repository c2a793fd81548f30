package load_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kbagent/kbagent/index/load"
)

// BenchmarkLoad loads a file of each format, some hundred KB of text.
func BenchmarkLoad(b *testing.B) {
	pdf := newPDF()
	for range 100 {
		var content strings.Builder
		content.WriteString("BT /F1 10 Tf 12 TL 50 800 Td ")
		for range 50 {
			content.WriteString("[(The) -278 (data) 10 (base) -278 (is) -278 (copied) -278 (every) -278 (night,) -278 (and) -278 (kept) -278 (for) -278 (30) -278 (days.)] TJ T* ")
		}
		pdf.page(content.String() + "ET")
	}
	var page, rows, records, body strings.Builder
	page.WriteString("<title>Manual</title><article><h1>Manual</h1>")
	rows.WriteString("Part,Price,Stock\n")
	for i := range 4000 {
		if i < 1500 {
			fmt.Fprintf(&page, "<h2>Part %d</h2><p>The database is copied every night, and each copy is kept for thirty days before it goes.</p>", i)
		}
		fmt.Fprintf(&rows, "bolt %d,0.%d,%d\n", i, i%100, i)
		fmt.Fprintf(&records, `{"title":"Part %d","text":"The database is copied every night."}`+"\n", i)
		body.WriteString(paragraph("", "The database is copied every night, and kept for thirty days."))
	}
	german := strings.Repeat(strings.ReplaceAll(german, "ü", "\xfc"), 4000)
	german = strings.NewReplacer("ö", "\xf6", "ß", "\xdf", "ä", "\xe4").Replace(german)
	files := newFiles(b, load.Options{})
	for name, data := range map[string]string{
		"manual.pdf": pdf.bytes(), "manual.html": page.String(), "manual.docx": document(body.String()), "parts.csv": rows.String(), "parts.jsonl": records.String(),
		"stack.go": strings.Repeat(testdata(b, "stack.go.txt"), 300), "guide.rst": strings.Repeat(testdata(b, "guide.rst"), 500), "windows-1252.txt": german,
	} {
		b.Run(name, func(b *testing.B) {
			text := 0
			for b.Loop() {
				loaded, err := files.Load(b.Context(), name, []byte(data))
				if err != nil {
					b.Fatal(err)
				}
				text = len(loaded.Text)
			}
			b.SetBytes(int64(text)) // of text, whatever the format takes for it
		})
	}
}
