package load

import (
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// maxWidths is how many codes a composite font has.
const maxWidths = 1 << 16

// A pdfFont tells what letters the codes of a string are, and how wide they are in thousandths of the size.
type pdfFont struct {
	composite bool
	toUnicode *charMap          // nil when the file has none
	simple    [256]string       // the letters of a simple font
	widths    [256]float64      // of a simple font
	wide      map[int]float64   // of a composite font
	other     float64           // width of what is in neither table
	encoding  encoding.Encoding // of a composite font with a well-known one; nil for another
}

// font returns the font that v describes; it is nil for none.
func (d *pdfReader) font(v any) *pdfFont {
	ref, isRef := v.(pdfRef)
	if f, ok := d.fonts[ref]; ok && isRef {
		return f
	}
	font := d.dict(v)
	if font == nil {
		return nil
	}
	f := &pdfFont{composite: d.name(font["Subtype"]) == "Type0", toUnicode: d.charMap(font["ToUnicode"])}
	if f.composite {
		f.readComposite(d.pdfFile, font)
	} else {
		f.readSimple(d.pdfFile, font)
	}
	if isRef {
		d.fonts[ref] = f
	}
	return f
}

// charMap reads a ToUnicode table; it is nil where there is none that can be read.
func (d *pdfReader) charMap(v any) *charMap {
	s, ok := d.get(v).(*pdfStream)
	if !ok {
		return nil
	}
	data, err := d.decode(s, maxStreamBytes)
	if err != nil {
		return nil // the encoding of the font may tell the letters
	}
	return readCharMap(&pdfParser{data: data, budget: d.budget})
}

// decode is the text of a string, its width, and how many codes and spaces it has.
func (f *pdfFont) decode(raw string) (text string, width float64, codes, spaces int) {
	if f.composite {
		return f.decodeComposite(raw)
	}
	var b strings.Builder
	for i := range len(raw) {
		code := raw[i]
		letters := f.simple[code]
		if f.toUnicode != nil {
			if s, ok := f.toUnicode.find(int(code)); ok {
				letters = s
			}
		}
		b.WriteString(letters)
		width += f.widths[code]
		if code == ' ' {
			spaces++
		}
	}
	return b.String(), width, len(raw), spaces
}

// decodeComposite reads codes of two bytes, as nearly all composite fonts have.
func (f *pdfFont) decodeComposite(raw string) (text string, width float64, codes, spaces int) {
	var b strings.Builder
	for i := 0; i+1 < len(raw); i += 2 {
		code := int(raw[i])<<8 | int(raw[i+1])
		codes++
		if w, ok := f.wide[code]; ok {
			width += w
		} else {
			width += f.other
		}
		if f.toUnicode != nil {
			letters, _ := f.toUnicode.find(code)
			b.WriteString(letters)
		}
	}
	if f.toUnicode == nil && f.encoding != nil {
		decoded, err := f.encoding.NewDecoder().String(raw)
		if err != nil {
			return "", width, codes, 0
		}
		return decoded, width, codes, 0
	}
	return b.String(), width, codes, 0
}

// readSimple reads a font of 256 codes.
func (f *pdfFont) readSimple(d *pdfFile, font pdfDict) {
	f.simple = simpleEncoding(d, font["Encoding"])
	f.widths = standardWidths(d.name(font["BaseFont"]))
	list, first := d.list(font["Widths"]), intOf(d.get(font["FirstChar"]))
	if len(list) > 0 {
		f.widths = [256]float64{}
		for code := range f.widths {
			f.widths[code] = d.number(d.dict(font["FontDescriptor"])["MissingWidth"])
		}
	}
	for i, w := range list {
		if code := first + i; code >= 0 && code < 256 {
			f.widths[code] = d.number(w)
		}
	}
	if m := d.list(font["FontMatrix"]); len(m) > 0 && d.name(font["Subtype"]) == "Type3" { // a space of its own
		for code := range f.widths {
			f.widths[code] *= d.number(m[0]) * 1000
		}
	}
}

// readComposite reads the widths and the encoding of a font with many letters.
func (f *pdfFont) readComposite(d *pdfFile, font pdfDict) {
	var descendant pdfDict
	if list := d.list(font["DescendantFonts"]); len(list) > 0 {
		descendant = d.dict(list[0])
	}
	f.other = 1000
	if dw, ok := descendant["DW"]; ok {
		f.other = d.number(dw)
	}
	f.wide = map[int]float64{}
	f.readWidths(d, d.list(descendant["W"]))
	f.encoding = composite(d.name(font["Encoding"]))
}

// readWidths reads "first [w w w]" and "first last w" (PDF 32000-1, 9.7.4.3).
func (f *pdfFont) readWidths(d *pdfFile, list []any) {
	for len(list) >= 2 {
		first := intOf(d.get(list[0]))
		if widths := d.list(list[1]); widths != nil {
			for i, w := range widths {
				f.setWidth(first+i, d.number(w))
			}
			list = list[2:]
			continue
		}
		if len(list) < 3 {
			return
		}
		last, w := intOf(d.get(list[1])), d.number(list[2])
		d.budget.take(max(0, min(last, maxWidths)-first))
		for code := max(first, 0); code <= last && code < maxWidths; code++ {
			f.setWidth(code, w)
		}
		list = list[3:]
	}
}

func (f *pdfFont) setWidth(code int, w float64) {
	if code >= 0 && code < maxWidths {
		f.wide[code] = w
	}
}

// composite is the encoding that a predefined character map stands for (PDF 32000-1, table 118); nil for another, Identity-H
// for instance, whose codes mean nothing without a ToUnicode table.
func composite(name string) encoding.Encoding {
	switch {
	case strings.Contains(name, "UCS2"), strings.Contains(name, "UTF16"):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case strings.HasPrefix(name, "GBK"), strings.HasPrefix(name, "GB-EUC"), strings.HasPrefix(name, "GBpc"):
		return simplifiedchinese.GB18030
	case strings.Contains(name, "RKSJ"):
		return japanese.ShiftJIS
	case strings.HasPrefix(name, "EUC-"):
		return japanese.EUCJP
	case strings.HasPrefix(name, "KSC"):
		return korean.EUCKR
	case strings.HasPrefix(name, "B5"), strings.HasPrefix(name, "ETen"):
		return traditionalchinese.Big5
	default:
		return nil
	}
}
