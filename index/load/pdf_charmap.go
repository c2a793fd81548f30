package load

import (
	"golang.org/x/text/encoding/unicode"
)

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

// readCharMap reads a table: what stands before endbfchar and endbfrange.
func readCharMap(p *pdfParser) *charMap {
	m := &charMap{single: map[int]string{}}
	var args []any
	for {
		v, ok := p.value(0)
		if !ok {
			return m
		}
		word, isWord := v.(pdfWord)
		if !isWord {
			args = append(args, v)
			continue
		}
		switch word {
		case "endbfchar":
			for i := 0; i+1 < len(args); i += 2 {
				m.single[codeOf(args[i])] = lettersOf(args[i+1])
			}
		case "endbfrange":
			for i := 0; i+2 < len(args); i += 3 {
				m.add(codeOf(args[i]), codeOf(args[i+1]), args[i+2])
			}
		}
		args = nil
	}
}

// add adds a range whose letters count up from one, or are a list.
func (m *charMap) add(from, to int, v any) {
	list, ok := v.([]any)
	if !ok && len(m.ranges) < maxRanges {
		m.ranges = append(m.ranges, charRange{from, to, lettersOf(v)})
	}
	for i, letters := range list {
		m.single[from+i] = lettersOf(letters)
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
		m.single[code] = string(letters)
		return m.single[code], true
	}
	m.single[code] = "" // not looked for again
	return "", false
}

// codeOf is the number that the bytes of a code are.
func codeOf(v any) int {
	s, _ := v.(pdfString)
	n := 0
	for _, b := range []byte(s) {
		n = n<<8&0xffffff | int(b)
	}
	return n
}

// lettersOf is text in UTF-16 without a mark. Some programs write <20> for <0020>.
func lettersOf(v any) string {
	s, _ := v.(pdfString)
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	decoded, err := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().String(string(s))
	if err != nil {
		return ""
	}
	return decoded
}
