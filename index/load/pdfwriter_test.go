package load_test

import (
	"bytes"
	"compress/zlib"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"fmt"
	"strings"
)

// A pdfWriter makes PDF files by hand, so that tests decide on every byte.
type pdfWriter struct {
	objects []string
	pages   []int
	fonts   string // entries of the Font resources
	info    string
}

// add returns the number of a new object.
func (w *pdfWriter) add(body string) int {
	w.objects = append(w.objects, body)
	return len(w.objects)
}

func (w *pdfWriter) stream(dict, data string) int {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write([]byte(data)); err != nil {
		panic(err)
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return w.add(fmt.Sprintf("<< %s /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", dict, b.Len(), b.String()))
}

// page adds a page that draws content.
func (w *pdfWriter) page(content string) {
	w.pages = append(w.pages, w.stream("", content))
}

// font adds a font under a name.
func (w *pdfWriter) font(name, dict string) {
	w.fonts += fmt.Sprintf("/%s %d 0 R ", name, w.add("<< /Type /Font "+dict+" >>"))
}

// composite adds a font with codes of two bytes, whose letters are those of table, each a square.
func (w *pdfWriter) composite(name, table string) {
	var m strings.Builder
	m.WriteString("/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange\n")
	for i, r := range []rune(table) {
		fmt.Fprintf(&m, "1 beginbfchar <%04X> <%04X> endbfchar\n", i+1, r)
	}
	m.WriteString("endcmap end end")
	unicode := w.stream("", m.String())
	descendant := w.add("<< /Type /Font /Subtype /CIDFontType2 /DW 1000 >>")
	w.font(name, fmt.Sprintf("/Subtype /Type0 /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R", descendant, unicode))
}

// codes is text in the codes of a composite font.
func codes(table, text string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, "%04X", len([]rune(table[:strings.IndexRune(table, r)]))+1)
	}
	return "<" + b.String() + ">"
}

// bytes is the file.
func (w *pdfWriter) bytes() string {
	tree := len(w.objects) + len(w.pages) + 1
	var kids []string
	for _, content := range w.pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", w.add(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /Contents %d 0 R >>", tree, content))))
	}
	w.add(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] /MediaBox [0 0 595 842] /Resources << /Font << %s >> >> >>", len(kids), strings.Join(kids, " "), w.fonts))
	root := w.add(fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R >>", tree))
	info := w.add("<< " + w.info + " >>")

	var b strings.Builder
	b.WriteString("%PDF-1.7\n")
	var offsets []int
	for i, body := range w.objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, root, info, xref)
	return b.String()
}

// packed is the file with its objects in a stream, as version 1.5 has it. params are those of the filter.
func (w *pdfWriter) packed(params string) string {
	file := w.bytes()
	head, body := "", ""
	var streams strings.Builder
	for i, object := range w.objects {
		if strings.Contains(object, "stream\n") {
			fmt.Fprintf(&streams, "%d 0 obj\n%s\nendobj\n", i+1, object)
			continue
		}
		head += fmt.Sprintf("%d %d ", i+1, len(body))
		body += object + " "
	}
	data := head + body
	if params != "" { // rows of four bytes, each the difference to the one above
		for len(data)%4 != 0 {
			data += " "
		}
		var rows []byte
		for i := range data {
			if i%4 == 0 {
				rows = append(rows, 2)
			}
			above := byte(0)
			if i >= 4 {
				above = data[i-4]
			}
			rows = append(rows, data[i]-above)
		}
		data = string(rows)
	}
	w.stream(fmt.Sprintf("/Type /ObjStm /N %d /First %d %s", strings.Count(head, " ")/2, len(head), params), data)
	number, object := len(w.objects), w.objects[len(w.objects)-1]
	w.objects = w.objects[:len(w.objects)-1]
	return fmt.Sprintf("%%PDF-1.5\n%s%d 0 obj\n%s\nendobj\n%s", streams.String(), number, object, file[strings.Index(file, "trailer"):])
}

// encrypted is the file with its streams encrypted for a user's password, by revision 3 (RC4) or 4 (AES).
func (w *pdfWriter) encrypted(password string, withAES bool) string {
	const padding = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"
	owner, id := strings.Repeat("o", 32), "0123456789abcdef"
	key := []byte((password + padding)[:32] + owner + "\xfc\xff\xff\xff" + id)
	for range 51 {
		sum := md5.Sum(key)
		key = sum[:]
	}
	check := md5.Sum([]byte(padding + id))
	user := check[:]
	for i := range 20 {
		k := bytes.Clone(key)
		for j := range k {
			k[j] ^= byte(i)
		}
		xor(k, user)
	}
	file := w.bytes()
	for i, object := range w.objects {
		from, to := strings.Index(object, "stream\n")+len("stream\n"), strings.LastIndex(object, "\nendstream")
		if to < 0 {
			continue
		}
		seed := append(bytes.Clone(key), byte(i+1), 0, 0, 0, 0)
		data := []byte(object[from:to])
		if withAES {
			sum := md5.Sum(append(seed, "sAlT"...))
			data = seal(sum[:], data)
		} else {
			sum := md5.Sum(seed)
			xor(sum[:], data)
		}
		dict := strings.Replace(object[:from], fmt.Sprintf("/Length %d", to-from), fmt.Sprintf("/Length %d", len(data)), 1)
		file = strings.Replace(file, object, dict+string(data)+object[to:], 1)
	}
	method := "/V 2 /R 3 /Length 128"
	if withAES {
		method = "/V 4 /R 4 /StmF /S /CF << /S << /CFM /AESV2 /Length 16 >> >>"
	}
	return strings.Replace(file, "trailer\n<<", fmt.Sprintf("trailer\n<< /ID [<%x> <%x>] /Encrypt << /Filter /Standard %s /O <%x> /U <%x> /P -4 >>", id, id, method, owner, user), 1)
}

func xor(key, data []byte) {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	c.XORKeyStream(data, data)
}

func seal(key, data []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	pad := aes.BlockSize - len(data)%aes.BlockSize
	data = append(bytes.Clone(data), bytes.Repeat([]byte{byte(pad)}, pad)...)
	out := make([]byte, aes.BlockSize+len(data))
	cipher.NewCBCEncrypter(block, out[:aes.BlockSize]).CryptBlocks(out[aes.BlockSize:], data)
	return out
}

// newPDF has Helvetica as F1, without widths as the standard allows.
func newPDF() *pdfWriter {
	w := &pdfWriter{}
	w.font("F1", "/Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding")
	return w
}

// onePage is a file of one page.
func onePage(content string) string {
	w := newPDF()
	w.page(content)
	return w.bytes()
}

// handbook is testdata/handbook.pdf.
func handbook() string {
	const han = "数据库每天凌晨两点半备份一次"
	w := newPDF()
	w.info = "/Title (The Handbook)"
	w.composite("F2", han)
	w.page(`BT /F1 18 Tf 72 760 Td (Backups) Tj /F1 11 Tf 0 -30 Td [(The) -278 (database) -278 (is) -278 (sa) 20 (v) 15 (ed) -278 (e) 25 (v) 15 (ery) -278 (night)] TJ
0 -14 Td (at half past two, and each copy is kept for thirty inde-) Tj 0 -14 Td (pendent days.) Tj ET`)
	w.page("BT /F2 11 Tf 72 760 Td " + codes(han, han) + " Tj ET")
	w.page("BT /F1 11 Tf 1 0 0 1 72 760 Tm (Rotate) Tj 1 0 0 1 110 760 Tm (the keys) Tj 1 0 0 1 72 746 Tm (once a month.) Tj ET")
	return w.bytes()
}
