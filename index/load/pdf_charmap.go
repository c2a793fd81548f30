package load

import (
	"encoding/hex"
	"io"

	"github.com/ledongthuc/pdf"
	"golang.org/x/text/encoding/unicode"
)

// maxCharMap bounds what a ToUnicode table unpacks to: 65,536 letters take a tenth of it.
const maxCharMap = 16 << 20

// maxRanges is how many ranges of a table are used; every letter that is looked up goes through them once.
const maxRanges = 10_000

// A charMap is a ToUnicode table: the letters of codes (PDF 32000-1, 9.10.3).
type charMap struct {
	single map[int]string
	ranges []charRange
}

type charRange struct {
	from, to int
	letters  string // of from; the last letter counts up
}

// readCharMap reads a table: what stands between beginbfchar or beginbfrange and their ends.
func readCharMap(stream pdf.Value) *charMap {
	boundStream(stream, maxCharMap)
	data, err := io.ReadAll(io.LimitReader(stream.Reader(), maxCharMap))
	if err != nil && len(data) == 0 {
		panic(err)
	}
	m := &charMap{single: map[int]string{}}
	var codes []mapped
	for len(data) > 0 {
		var token []byte
		if token, data = pdfToken(data); len(token) == 0 {
			break
		}
		switch string(token) {
		case "beginbfchar", "beginbfrange":
			codes = nil
		case "endbfchar":
			m.addChars(codes)
		case "endbfrange":
			m.addRanges(codes)
		case "<":
			var c mapped
			c.code, c.letters, data = hexString(data)
			codes = append(codes, c)
		case "[", "]":
			codes = append(codes, mapped{bracket: token[0]})
		}
	}
	return m
}

// mapped is a token of a table: a string as a code and as letters, or a bracket.
type mapped struct {
	bracket byte
	code    int
	letters string
}

// hexString reads up to the closing >.
func hexString(s []byte) (code int, letters string, rest []byte) {
	var digits []byte
	for len(s) > 0 && s[0] != '>' {
		if !pdfSpace(s[0]) && len(digits) < 512 {
			digits = append(digits, s[0])
		}
		s = s[1:]
	}
	if len(s) > 0 {
		s = s[1:]
	}
	raw := make([]byte, len(digits)/2)
	if _, err := hex.Decode(raw, digits[:len(raw)*2]); err != nil {
		return -1, "", s // no string, no code
	}
	for _, b := range raw {
		code = code<<8&0xffffff | int(b)
	}
	return code, utf16Letters(raw), s
}

// utf16Letters is text in UTF-16 without a mark. Some programs write <20> for <0020>.
func utf16Letters(raw []byte) string {
	if len(raw) == 1 {
		return string(rune(raw[0]))
	}
	decoded, err := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().Bytes(raw)
	if err != nil {
		return ""
	}
	return string(decoded)
}

func (m *charMap) addChars(codes []mapped) {
	for i := 0; i+1 < len(codes); i += 2 {
		m.single[codes[i].code] = codes[i+1].letters
	}
}

// addRanges reads "from to letters" and "from to [ letters letters ]".
func (m *charMap) addRanges(codes []mapped) {
	for len(codes) >= 3 {
		from, to := codes[0].code, codes[1].code
		if codes[2].bracket != '[' {
			if len(m.ranges) == maxRanges {
				return
			}
			m.ranges = append(m.ranges, charRange{from, to, codes[2].letters})
			codes = codes[3:]
			continue
		}
		codes = codes[3:]
		for len(codes) > 0 && codes[0].bracket == 0 {
			m.single[from] = codes[0].letters
			from, codes = from+1, codes[1:]
		}
		if len(codes) > 0 {
			codes = codes[1:]
		}
	}
}

// find is the letters of a code.
func (m *charMap) find(code int) (string, bool) {
	if s, ok := m.single[code]; ok {
		return s, s != ""
	}
	for _, r := range m.ranges {
		if code < r.from || code > r.to || r.letters == "" {
			continue
		}
		letters := []rune(r.letters)
		letters[len(letters)-1] += rune(code - r.from)
		s := string(letters)
		m.single[code] = s
		return s, true
	}
	m.single[code] = "" // not looked for again
	return "", false
}
