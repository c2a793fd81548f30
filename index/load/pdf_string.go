package load

import (
	"bytes"
	"encoding/hex"
	"strconv"
)

// name reads a name after its slash; #53 stands for S.
func (p *pdfParser) name() pdfName {
	var out []byte
	for p.pos < len(p.data) && !pdfSpace(p.data[p.pos]) && !pdfDelimiter(p.data[p.pos]) {
		c := p.data[p.pos]
		if c == '#' && p.pos+2 < len(p.data) {
			if n, err := strconv.ParseUint(string(p.data[p.pos+1:p.pos+3]), 16, 8); err == nil {
				c = byte(n)
				p.pos += 2
			}
		}
		out = append(out, c)
		p.pos++
	}
	return pdfName(out)
}

// word reads a number or a word.
func (p *pdfParser) word() any {
	from := p.pos
	for p.pos < len(p.data) && !pdfSpace(p.data[p.pos]) && !pdfDelimiter(p.data[p.pos]) {
		p.pos++
	}
	s := string(p.data[from:min(p.pos, from+64)])
	if c := s[0]; c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.' {
		if n, err := strconv.ParseFloat(s, 64); err == nil {
			return n
		}
	}
	return pdfWord(s)
}

// hex reads a string of hexadecimal digits up to its >.
func (p *pdfParser) hex() pdfString {
	var digits []byte
	for ; p.pos < len(p.data) && p.data[p.pos] != '>'; p.pos++ {
		if !pdfSpace(p.data[p.pos]) {
			digits = append(digits, p.data[p.pos])
		}
	}
	p.pos++
	if len(digits)%2 == 1 {
		digits = append(digits, '0')
	}
	out := make([]byte, len(digits)/2)
	n, err := hex.Decode(out, digits)
	if err != nil {
		return pdfString(out[:n]) // up to what is no digit
	}
	return pdfString(out)
}

// literal reads a string in parentheses, which may hold others.
func (p *pdfParser) literal() pdfString {
	var out []byte
	for open := 1; p.pos < len(p.data); p.pos++ {
		switch c := p.data[p.pos]; c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				p.pos++
				return pdfString(out)
			}
		case '\\':
			out = p.escape(out)
			continue
		}
		out = append(out, p.data[p.pos])
	}
	return pdfString(out)
}

// escape reads what follows a backslash, and stays on its last byte.
func (p *pdfParser) escape(out []byte) []byte {
	p.pos++
	switch c := p.at(0); {
	case c >= '0' && c <= '7':
		n := 0
		for i := 0; i < 3 && p.at(0) >= '0' && p.at(0) <= '7'; i++ {
			n = n<<3 + int(p.at(0)-'0')
			p.pos++
		}
		p.pos--
		return append(out, byte(n))
	case c == '\r' && p.at(1) == '\n':
		p.pos++
		return out
	case c == '\r' || c == '\n' || p.pos >= len(p.data):
		return out
	default:
		if i := bytes.IndexByte([]byte("nrtbf"), c); i >= 0 {
			c = "\n\r\t\b\f"[i]
		}
		return append(out, c)
	}
}
