package load_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index/load"
)

// archive makes a ZIP file.
func archive(parts map[string]string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range parts {
		part, err := w.Create(name)
		if err == nil {
			_, err = part.Write([]byte(content))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

const wordSpace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`

// document makes a Word document of the body's XML.
func document(body ...string) string {
	return archive(map[string]string{
		"word/document.xml": `<?xml version="1.0" encoding="UTF-8"?><w:document ` + wordSpace + `><w:body>` + strings.Join(body, "") + `</w:body></w:document>`,
		"word/styles.xml": `<w:styles ` + wordSpace + `><w:style w:styleId="Titel"><w:name w:val="Title"/></w:style><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>` +
			`<w:style w:styleId="Own"><w:name w:val="Own heading"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`,
		"word/footnotes.xml": `<w:footnotes ` + wordSpace + `><w:footnote><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
		"docProps/core.xml":  `<cp:coreProperties xmlns:cp="x" xmlns:dc="y"><dc:title>The Handbook</dc:title><dc:creator>Ann</dc:creator></cp:coreProperties>`,
	})
}

func paragraph(style, text string) string {
	if style != "" {
		style = `<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`
	}
	return `<w:p>` + style + `<w:r><w:t xml:space="preserve">` + html.EscapeString(text) + `</w:t></w:r></w:p>`
}

func item(level int, text string) string {
	return fmt.Sprintf(`<w:p><w:pPr><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>%s</w:t></w:r></w:p>`, level, text)
}

func table(rows ...[]string) string {
	s := "<w:tbl>"
	for _, row := range rows {
		s += "<w:tr>"
		for _, cell := range row {
			s += "<w:tc>" + cell + "</w:tc>"
		}
		s += "</w:tr>"
	}
	return s + "</w:tbl>"
}

func cells(texts ...string) (row []string) {
	for _, s := range texts {
		row = append(row, paragraph("", s))
	}
	return row
}

func TestADocumentBecomesMarkdownWithHeadingsListsAndTables(t *testing.T) {
	loaded := read(t, "a.docx", document(
		paragraph("berschrift1", "备份 & Backups"), paragraph("", "Kept for 30 days."),
		item(0, "first"), item(1, "inner"), item(0, "second"),
		paragraph("Own", "Prices"),
		table(cells("Part", "Price"), cells("M6 | M8", "0.12"), []string{paragraph("", "two") + paragraph("", "lines"), `<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>` + paragraph("", "")}),
		paragraph("", "After."),
	))
	assert.True(t, loaded.Markdown)
	assert.Equal(t, "The Handbook", loaded.Title)
	assert.Equal(t, `# 备份 & Backups

Kept for 30 days.

- first
  - inner
- second

## Prices

| Part | Price |
| --- | --- |
| M6 \| M8 | 0.12 |
| two lines |  |  |

After.

A note.
`, loaded.Text)
}

func TestWhatIsDeletedOrThereTwiceIsLeftOut(t *testing.T) {
	loaded := read(t, "a.docx", document(`<w:p><w:r><w:t>one </w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>two</w:t></w:r></w:ins>
		<w:r><w:instrText>PAGE</w:instrText><w:tab/><w:t>three</w:t><w:br/><w:t>four</w:t></w:r></w:p>
		<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>`))
	assert.Equal(t, "one two three\nfour\n\nbox\n\nA note.\n", loaded.Text)
}

func TestATableInsideOfACellIsPartOfTheCell(t *testing.T) {
	loaded := read(t, "a.docx", document(table(cells("A", "B"), []string{paragraph("", "x"), table(cells("in", "ner")) + paragraph("", "y")})))
	assert.Contains(t, loaded.Text, "| x | in ner y |")
}

func TestBrokenDocumentsAreRefusedWithTheReason(t *testing.T) {
	for name, tt := range map[string]struct {
		data string
		want error
	}{
		"not a ZIP file":            {"hello", load.ErrMalformed},
		"a ZIP file of other kind":  {archive(map[string]string{"a.txt": "x"}), load.ErrMalformed},
		"broken XML":                {archive(map[string]string{"word/document.xml": "<w:p><"}), load.ErrMalformed},
		"a password":                {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", load.ErrEncrypted},
		"nothing but pictures":      {archive(map[string]string{"word/document.xml": "<w:document/>"}), load.ErrNoText},
		"a part that is a ZIP bomb": {archive(map[string]string{"word/document.xml": "<w:p>" + strings.Repeat(" ", 65<<20)}), load.ErrTooLarge},
		"text that is a ZIP bomb":   {document(strings.Repeat(paragraph("", strings.Repeat("x", 1000)), 20_000)), load.ErrTooLarge},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorIs(t, refused(t, "a.docx", tt.data), tt.want) })
	}
}
