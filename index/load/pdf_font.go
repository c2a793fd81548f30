package load

import (
	"strings"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// maxWidths bounds how many widths a font may list.
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
func (d *pdfReader) font(v pdf.Value) *pdfFont {
	if v.Kind() != pdf.Dict {
		return nil
	}
	// Objects are resolved anew each time and have no identity; what they print names the objects inside of them.
	id := v.String()
	if f, ok := d.fonts[id]; ok {
		return f
	}
	f := &pdfFont{composite: v.Key("Subtype").Name() == "Type0"}
	if table := v.Key("ToUnicode"); table.Kind() == pdf.Stream {
		f.toUnicode = readCharMap(table)
	}
	if f.composite {
		f.readComposite(v)
	} else {
		f.readSimple(v)
	}
	d.fonts[id] = f
	return f
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
func (f *pdfFont) readSimple(v pdf.Value) {
	library := pdf.Font{V: v}
	encoder := library.Encoder()
	for code := range f.simple {
		f.simple[code] = encoder.Decode(string([]byte{byte(code)}))
	}
	f.widths = standardWidths(v.Key("BaseFont").Name())
	list, first := v.Key("Widths"), v.Key("FirstChar").Int64()
	if list.Len() > 0 {
		f.widths = [256]float64{}
		for code := range f.widths {
			f.widths[code] = number(v.Key("FontDescriptor").Key("MissingWidth"))
		}
	}
	for i := range min(list.Len(), 256) {
		if code := first + int64(i); code >= 0 && code < 256 {
			f.widths[code] = number(list.Index(i))
		}
	}
	if v.Key("Subtype").Name() == "Type3" { // its widths are in a space of its own
		if scale := number(v.Key("FontMatrix").Index(0)); scale > 0 {
			for code := range f.widths {
				f.widths[code] *= scale * 1000
			}
		}
	}
}

// readComposite reads the widths and the encoding of a font with many letters.
func (f *pdfFont) readComposite(v pdf.Value) {
	descendant := v.Key("DescendantFonts").Index(0)
	f.other = 1000
	if dw := descendant.Key("DW"); !dw.IsNull() {
		f.other = number(dw)
	}
	f.wide = map[int]float64{}
	f.readWidths(descendant.Key("W"))
	f.encoding = composite(v.Key("Encoding").Name())
}

// readWidths reads "first [w w w]" and "first last w" (PDF 32000-1, 9.7.4.3).
func (f *pdfFont) readWidths(list pdf.Value) {
	for i := 0; i+1 < list.Len(); {
		first := int(list.Index(i).Int64())
		if widths := list.Index(i + 1); widths.Kind() == pdf.Array {
			for j := range min(widths.Len(), maxWidths) {
				f.setWidth(first+j, number(widths.Index(j)))
			}
			i += 2
			continue
		}
		last := int(list.Index(i + 1).Int64())
		w := number(list.Index(i + 2))
		for code := first; code <= last && code < maxWidths; code++ {
			f.setWidth(code, w)
		}
		i += 3
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
