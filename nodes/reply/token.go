package reply

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// skip passes white space and comments (// … , # … , /* … */) and reports whether there was a line break.
func (r *reader) skip() (newline bool) {
	for !r.end() {
		switch c := r.peek(); {
		case blank(c):
			newline = newline || c == '\n'
			r.next()
		case c == '#' || strings.HasPrefix(r.s[r.pos:], "//"):
			r.skipTo("\n")
		case strings.HasPrefix(r.s[r.pos:], "/*"):
			r.skipTo("*/")
		default:
			return newline
		}
	}
	return newline
}

// skipTo passes everything up to the mark; a line break stays.
func (r *reader) skipTo(mark string) {
	i := strings.Index(r.s[r.pos:], mark)
	if i < 0 {
		*r.budget -= len(r.s) - r.pos
		r.pos = len(r.s)
		return
	}
	*r.budget -= i
	r.pos += i
	if mark != "\n" {
		r.pos += len(mark)
	}
}

// onlyFence reports that nothing but white space and backticks follows.
func (r *reader) onlyFence() bool {
	tail := r.s[r.pos:]
	return len(tail) < 64 && strings.Trim(tail, "` \r\n\t") == ""
}

// quoted reads a string from its opening quote on.
func (r *reader) quoted(lax bool) (string, error) {
	quote := quoteOf(fold(r.next()))
	var b strings.Builder
	for !r.end() && *r.budget >= 0 {
		c := r.next()
		switch {
		case quoteOf(fold(c)) == quote && (!lax || r.closes()):
			return b.String(), nil
		case lax && c == '\n':
			return "", errSyntax
		case c == '\\':
			if err := r.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteRune(c)
		}
	}
	return "", errEnd
}

// closes reports whether what follows a quote lets it be the closing one.
func (r *reader) closes() bool {
	ahead := *r
	for !ahead.end() && blank(ahead.peek()) {
		ahead.next()
	}
	return ahead.end() || strings.ContainsRune(",}]", ahead.peek())
}

var escapes = map[rune]rune{'"': '"', '\'': '\'', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads what follows a backslash. An escape that JSON does not know, like the \d of a regular expression, stays.
func (r *reader) escape(b *strings.Builder) error {
	if r.end() {
		return errEnd
	}
	c := r.next()
	if c == 'u' {
		return r.unicode(b)
	}
	if e, ok := escapes[c]; ok {
		b.WriteRune(e)
		return nil
	}
	b.WriteByte('\\')
	b.WriteRune(c)
	return nil
}

// unicode reads the digits of a \u escape, and the second half of a surrogate pair.
func (r *reader) unicode(b *strings.Builder) error {
	c, err := r.hex()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(c) && strings.HasPrefix(r.s[r.pos:], `\u`) {
		again := *r
		again.pos += 2
		if low, err := again.hex(); err == nil && utf16.DecodeRune(c, low) != utf8.RuneError {
			r.pos = again.pos
			c = utf16.DecodeRune(c, low)
		}
	}
	b.WriteRune(c) // a lone surrogate becomes U+FFFD
	return nil
}

func (r *reader) hex() (rune, error) {
	if r.pos+4 > len(r.s) {
		return 0, errEnd
	}
	n, err := strconv.ParseUint(r.s[r.pos:r.pos+4], 16, 32)
	if err != nil {
		return 0, errSyntax
	}
	r.pos += 4
	*r.budget -= 4
	return rune(n), nil
}

// bare reads a word without quotes, folded.
func (r *reader) bare() (value, error) {
	start := r.pos
	for !r.end() {
		c := r.peek()
		if blank(c) || quoteOf(c) != 0 || strings.ContainsRune("{}[],:;`", c) || r.comment() {
			break
		}
		r.next()
	}
	switch {
	case r.pos == start:
		return value{}, errSyntax
	case *r.budget < 0:
		return value{}, errSpent
	}
	return word(foldString(r.s[start:r.pos])), nil
}

func (r *reader) comment() bool {
	return strings.HasPrefix(r.s[r.pos:], "//") || strings.HasPrefix(r.s[r.pos:], "/*")
}
