package load

import (
	"bytes"
	"fmt"
)

// Values of a PDF file (PDF 32000-1, 7.3) are nil, bool, float64, pdfString, pdfName, pdfRef, []any, pdfDict and *pdfStream.
type (
	pdfString string
	pdfName   string
	pdfRef    int // the number of an object
	pdfDict   map[string]any
)

// A pdfWord is a keyword or an operator.
type pdfWord string

// A pdfStream is a dictionary with bytes as they stand in the file.
type pdfStream struct {
	dict        pdfDict
	raw         []byte
	number, gen int
}

// Limits of what is parsed.
const (
	maxPDFDepth  = 100        // of lists and dictionaries in one another
	maxPDFValues = 10_000_000 // of a file; each takes some 30 bytes
)

// A pdfParser reads values from bytes. Every step moves on, so that it ends where the bytes end. It panics when budget is used up.
type pdfParser struct {
	data   []byte
	pos    int
	taken  int // where the budget was asked last
	budget *pdfBudget
}

// A pdfBudget is shared by all parsers of a file.
type pdfBudget struct {
	values int
	bytes  int          // read since the last look at the time
	check  func() error // of the time
}

// take counts a value and the bytes of the one before, and looks at the time now and then.
func (b *pdfBudget) take(bytes int) {
	if b.values++; b.values > maxPDFValues {
		panic(fmt.Errorf("%w: more than %d values", ErrTooLarge, maxPDFValues))
	}
	if b.bytes += bytes + 16; b.bytes < 64<<10 {
		return
	}
	b.bytes = 0
	if err := b.check(); err != nil {
		panic(err)
	}
}

// value reads the next value or word; ok is false at the end. A delimiter without its partner is a word.
func (p *pdfParser) value(depth int) (v any, ok bool) {
	p.space()
	if p.pos >= len(p.data) {
		return nil, false
	}
	p.budget.take(p.pos - p.taken)
	p.taken = p.pos
	if depth > maxPDFDepth {
		panic(fmt.Errorf("%w: nested deeper than %d", ErrTooLarge, maxPDFDepth))
	}
	switch c := p.data[p.pos]; {
	case c == '/':
		p.pos++
		return p.name(), true
	case c == '(':
		p.pos++
		return p.literal(), true
	case c == '[':
		p.pos++
		return p.list("]", depth), true
	case c == '<' && p.at(1) == '<':
		p.pos += 2
		return dictOf(p.list(">>", depth)), true
	case c == '<':
		p.pos++
		return p.hex(), true
	case c == '>' && p.at(1) == '>':
		p.pos += 2
		return pdfWord(">>"), true
	case pdfDelimiter(c):
		p.pos++
		return pdfWord(c), true
	default:
		return p.word(), true
	}
}

// at is the byte so far ahead, 0 behind the end.
func (p *pdfParser) at(ahead int) byte {
	if p.pos+ahead < len(p.data) {
		return p.data[p.pos+ahead]
	}
	return 0
}

// space skips white space and comments.
func (p *pdfParser) space() {
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case pdfSpace(c):
			p.pos++
		case c == '%':
			for p.pos < len(p.data) && p.data[p.pos] != '\n' && p.data[p.pos] != '\r' {
				p.pos++
			}
		default:
			return
		}
	}
}

// list reads values up to the closing word, or to the end. "5 0 R" is a reference.
func (p *pdfParser) list(closing pdfWord, depth int) []any {
	list := []any{}
	for {
		v, ok := p.value(depth + 1)
		if !ok || v == closing {
			return list
		}
		word, isWord := v.(pdfWord)
		switch n := len(list); {
		case !isWord:
			list = append(list, v)
		case word == "R" && n >= 2:
			list = append(list[:n-2], pdfRef(intOf(list[n-2])))
		case word == "endobj", word == "endstream": // nothing closes it any more
			return list
		case word == "true", word == "false":
			list = append(list, word == "true")
		case word == "null":
			list = append(list, nil)
		}
	}
}

// dictOf makes pairs of a list; what has no name in front is left out.
func dictOf(list []any) pdfDict {
	d := pdfDict{}
	for i := 0; i+1 < len(list); {
		if key, ok := list[i].(pdfName); ok {
			d[string(key)] = list[i+1]
			i += 2
		} else {
			i++
		}
	}
	return d
}

func pdfSpace(b byte) bool {
	return b == 0 || b == '\t' || b == '\n' || b == '\f' || b == '\r' || b == ' '
}

func pdfDelimiter(b byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), b) >= 0 }
