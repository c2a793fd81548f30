package load_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index/load"
)

func TestAHandbookIsReadPageByPage(t *testing.T) {
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(filepath.Join("testdata", "handbook.pdf"), []byte(handbook()), 0o600))
	}
	loaded := read(t, "handbook.pdf", testdata(t, "handbook.pdf"))
	assert.Equal(t, "The Handbook", loaded.Title)
	assert.Equal(t, []outline{{1, 1, "page 1"}, {7, 1, "page 2"}, {9, 1, "page 3"}}, marks(loaded))
	assert.Equal(t, `Backups

The database is saved every night
at half past two, and each copy is kept for thirty independent
days.

数据库每天凌晨两点半备份一次

Rotate the keys
once a month.
`, loaded.Text)
}

func TestWordsOfAPageKeepTheirSpaces(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"spaces in the string":          {"BT /F1 10 Tf 50 700 Td (a word) Tj ET", "a word"},
		"gaps instead of spaces":        {"BT /F1 10 Tf 50 700 Td [(one) -300 (two)] TJ ET", "one two"},
		"kerning is no gap":             {"BT /F1 10 Tf 50 700 Td [(W) 80 (A) 80 (VE)] TJ ET", "WAVE"},
		"each letter at its own place":  {"BT /F1 10 Tf 1 0 0 1 50 700 Tm (h) Tj 1 0 0 1 55.6 700 Tm (i) Tj 1 0 0 1 60.6 700 Tm (y) Tj 1 0 0 1 65.6 700 Tm (o) Tj ET", "hi yo"},
		"a scaled page":                 {"q 0.1 0 0 0.1 0 0 cm BT /F1 100 Tf 500 7000 Td [(one) -300 (two)] TJ ET Q", "one two"},
		"a page on its side":            {"BT /F1 10 Tf 0 1 -1 0 50 100 Tm [(one) -300 (two)] TJ 0 1 -1 0 62 100 Tm (three) Tj ET", "one two\nthree"},
		"a raised figure":               {"BT /F1 10 Tf 50 700 Td (x) Tj 3 Ts (2) Tj 0 Ts (y) Tj ET", "x2y"},
		"drawn twice to look bold":      {"BT /F1 10 Tf 50 700 Td (Bold) Tj ET BT /F1 10 Tf 50.3 700 Td (Bold) Tj ET", "Bold"},
		"the line operators":            {`BT /F1 10 Tf 12 TL 50 700 Td (a) Tj T* (b) Tj (c) ' 0 0 (d) " ET`, "a\nb\nc\nd"},
		"paragraphs":                    {"BT /F1 10 Tf 50 700 Td (a) Tj 0 -12 Td (b) Tj 0 -24 Td (c) Tj ET", "a\nb\n\nc"},
		"columns in the order drawn":    {"BT /F1 10 Tf 50 700 Td (left) Tj 0 -12 Td (more) Tj ET BT /F1 10 Tf 300 700 Td (right) Tj ET", "left\nmore\n\nright"},
		"western letters and ligatures": {"BT /F1 10 Tf 50 700 Td (Gr\\366\\337e) Tj ET", "Größe"},
		"a divided word at the end":     {"BT /F1 10 Tf 50 700 Td (the divi-) Tj 0 -12 Td (ded) Tj 0 -12 Td (word) Tj ET", "the divided\nword"},
		"a hyphen before a capital":     {"BT /F1 10 Tf 50 700 Td (Jean-) Tj 0 -12 Td (Paul came) Tj ET", "Jean-\nPaul came"},
		"operators without operands":    {"Tf Tm Td Tj TJ ' Q cm BT /F1 10 Tf 50 700 Td (fine) Tj ET", "fine"},
		"an unknown font draws nothing": {"BT /F9 10 Tf 50 700 Td (no) Tj /F1 10 Tf (yes) Tj ET", "yes"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want+"\n", read(t, "a.pdf", onePage(tt.in)).Text)
		})
	}
}

func TestFormsArePartOfTheirPage(t *testing.T) {
	w := newPDF()
	form := w.stream("/Type /XObject /Subtype /Form /Matrix [1 0 0 1 0 0]", "BT /F1 10 Tf 50 600 Td (inside) Tj ET")
	w.fonts += fmt.Sprintf(">> /XObject << /X %d 0 R ", form)
	w.page("BT /F1 10 Tf 50 700 Td (outside) Tj ET /X Do")
	assert.Equal(t, "outside\n\ninside\n", read(t, "a.pdf", w.bytes()).Text)
}

func TestAFormThatDrawsItselfEnds(t *testing.T) {
	w := newPDF()
	w.fonts += fmt.Sprintf(">> /XObject << /X %d 0 R ", w.stream("/Subtype /Form", "BT /F1 10 Tf 50 600 Td (loop) Tj ET /X Do /X Do"))
	w.page("/X Do")
	assert.Contains(t, read(t, "a.pdf", w.bytes()).Text, "loop")
}

func TestRangesOfLettersAreRead(t *testing.T) {
	w := newPDF()
	unicode := w.stream("", "1 beginbfrange <0041> <0043> <6570> endbfrange 1 beginbfrange <0050> <0051> [<006600 66> <5E93>] endbfrange")
	descendant := w.add("<< /Subtype /CIDFontType2 /DW 500 /W [65 [1000 1000] 67 90 1000] >>")
	w.font("F2", fmt.Sprintf("/Subtype /Type0 /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R", descendant, unicode))
	w.page("BT /F2 10 Tf 50 700 Td <00410042004300500051> Tj ET")
	assert.Equal(t, "数敱敲ff库\n", read(t, "a.pdf", w.bytes()).Text)
}

func TestFontsOfAKnownEncodingNeedNoTable(t *testing.T) {
	w := newPDF()
	w.font("F2", "/Subtype /Type0 /Encoding /UniGB-UCS2-H /DescendantFonts [<< /Subtype /CIDFontType0 >>]")
	w.font("F3", "/Subtype /Type0 /Encoding /90ms-RKSJ-H /DescendantFonts [<< /Subtype /CIDFontType0 >>]")
	w.page("BT /F2 10 Tf 50 700 Td <6570636E5E93> Tj /F3 10 Tf 0 -12 Td <83658358836783> Tj <83658358> Tj ET")
	assert.Contains(t, read(t, "a.pdf", w.bytes()).Text, "数据库\n")
}

func TestWhatServersLeaveAroundAFileIsNoError(t *testing.T) {
	file := onePage("BT /F1 10 Tf 50 700 Td (fine) Tj ET")
	for name, data := range map[string]string{
		"before":      "\r\n\r\n" + file,
		"behind":      file + strings.Repeat("\x00", 500) + "<!-- served in 3 ms -->",
		"version 2.0": strings.Replace(file, "%PDF-1.7", "%PDF-2.0", 1),
	} {
		assert.Equal(t, "fine\n", read(t, "a.pdf", data).Text, name)
	}
}

func TestATitleThatIsAFileNameIsNone(t *testing.T) {
	for title, want := range map[string]string{"Annual Report": "Annual Report", "Microsoft Word - x": "", "draft7.DOC": "", "untitled": ""} {
		w := newPDF()
		w.info = "/Title (" + title + ")"
		w.page("BT /F1 10 Tf 50 700 Td (x) Tj ET")
		assert.Equal(t, want, read(t, "a.pdf", w.bytes()).Title)
	}
}

func TestBrokenPDFsAreRefusedWithTheReason(t *testing.T) {
	file := onePage("BT /F1 10 Tf 50 700 Td (x) Tj ET")
	unknown := newPDF()
	unknown.font("F2", "/Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< >>]")
	unknown.page("BT /F2 10 Tf 50 700 Td <00010002> Tj ET")
	bomb := newPDF()
	bomb.page(strings.Repeat("1 ", 20<<20))
	for name, tt := range map[string]struct {
		data string
		want error
		text string
	}{
		"cut short":                         {file[:len(file)/2], load.ErrMalformed, "cut short"},
		"a scanned page":                    {onePage("q 100 0 0 100 0 0 cm /Im1 Do Q"), load.ErrNoText, "OCR"},
		"fonts without letters":             {unknown.bytes(), load.ErrNoText, "fonts"},
		"content that unpacks to too much":  {bomb.bytes(), load.ErrTooLarge, "unpacks"},
		"a predictor with too many columns": {strings.Replace(file, "/Filter", "/DecodeParms << /Predictor 15 /Columns 99999999 >> /Filter", 1), load.ErrMalformed, "predictor"},
		"content packed as a picture":       {strings.Replace(file, "/FlateDecode", "/DCTDecode", 1), load.ErrMalformed, "DCTDecode"},
		"no pages":                          {strings.ReplaceAll(file, "/Pages", "/Sheets"), load.ErrMalformed, "list of pages"},
		"a password":                        {strings.Replace(file, "trailer\n<<", "trailer\n<< /Encrypt << /Filter /Standard /V 9 /R 9 /O (x) /U (x) /P 0 >> /ID [(a) (a)]", 1), load.ErrEncrypted, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := refused(t, "a.pdf", tt.data)
			require.ErrorIs(t, err, tt.want)
			assert.ErrorContains(t, err, tt.text)
		})
	}
}

func TestATreeOfPagesThatHoldsItselfEnds(t *testing.T) {
	file := strings.Replace(onePage("BT /F1 10 Tf 50 700 Td (x) Tj ET"), "/Kids [3 0 R]", "/Kids [4 0 R]", 1)
	require.ErrorIs(t, refused(t, "a.pdf", file), load.ErrTooLarge)
}

func TestAWrongTableOfOffsetsDoesNoHarm(t *testing.T) {
	file := onePage("BT /F1 10 Tf 50 700 Td (fine) Tj ET")
	at := strings.Index(file, "xref\n")
	for name, data := range map[string]string{
		"wrong":         strings.ReplaceAll(file, "000000", "000099"),
		"missing":       file[:at] + file[strings.Index(file, "trailer"):],
		"no trailer":    file[:at] + "%%EOF",
		"huge":          strings.Replace(file, "xref\n0 ", "xref\n9999999999 ", 1),
		"wrong lengths": strings.ReplaceAll(file, "/Length ", "/Length 9"),
	} {
		assert.Equal(t, "fine\n", read(t, "a.pdf", data).Text, name)
	}
}

func TestTheLastVersionOfAnObjectCounts(t *testing.T) {
	w := newPDF()
	w.page("BT /F1 10 Tf 50 700 Td (old) Tj ET")
	later := newPDF()
	later.page("BT /F1 10 Tf 50 700 Td (new) Tj ET")
	file := later.bytes()
	change := file[strings.Index(file, "2 0 obj"):strings.Index(file, "3 0 obj")]
	assert.Equal(t, "new\n", read(t, "a.pdf", w.bytes()+change+"startxref\n0\n%%EOF").Text)
}

func TestObjectsInStreamsAreRead(t *testing.T) {
	w := newPDF()
	w.page("BT /F1 10 Tf 50 700 Td (packed) Tj ET")
	assert.Equal(t, "packed\n", read(t, "a.pdf", w.packed("")).Text)
	assert.Equal(t, "packed\n", read(t, "a.pdf", w.packed("/DecodeParms << /Predictor 12 /Columns 4 >>")).Text)
}

func TestUnfinishedContentEnds(t *testing.T) {
	for _, content := range []string{"<< /a [ (b) <c", "(never closed", "[[[[[[", "BI /W 1 ID xxxx", "<abc", strings.Repeat("[", 200)} {
		got, err := newFiles(t, patient).Load(t.Context(), "a.pdf", []byte(onePage("BT /F1 10 Tf 50 700 Td (fine) Tj ET "+content)))
		if err != nil {
			require.ErrorIs(t, err, load.ErrTooLarge)
			continue
		}
		assert.Equal(t, "fine\n", got.Text)
	}
}

func TestFilesThatAreEncryptedWithoutAPasswordAreRead(t *testing.T) {
	for name, aes := range map[string]bool{"RC4": false, "AES": true} {
		w := newPDF()
		w.page("BT /F1 10 Tf 50 700 Td (no secret) Tj ET")
		assert.Equal(t, "no secret\n", read(t, "a.pdf", w.encrypted("", aes)).Text, name)
		require.ErrorIs(t, refused(t, "a.pdf", w.encrypted("password", aes)), load.ErrEncrypted, name)
	}
}

func TestGlyphsByTheirNames(t *testing.T) {
	w := newPDF()
	w.font("F2", "/Subtype /Type1 /BaseFont /X /Encoding << /Differences [1 /fi /eacute /Scaron 65 /uni6570 /u1F600 /alpha /germandbls /nosuchglyph /a.alt] >>")
	w.page("BT /F2 10 Tf 50 700 Td (\\001\\002\\003ABCDEF) Tj ET")
	assert.Equal(t, "fiéŠ数😀αßEa\n", read(t, "a.pdf", w.bytes()).Text)
}
