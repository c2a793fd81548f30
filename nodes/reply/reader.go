package reply

import (
	"errors"
	"unicode/utf8"
)

// What can go wrong while a value is read.
var (
	errSyntax = errors.New("no JSON") // what stands here is something else
	errEnd    = errors.New("cut")     // the text ended inside the value
	errDeep   = errors.New("nested too deeply")
	errSpent  = errors.New("too much work") // the budget of the whole reply is used up
)

// maxDepth is how deep values may nest. What models reply is hardly deeper than a handful.
const maxDepth = 16

// reader reads one value. It is tolerant of spelling — comments, trailing commas, any quotes, words without quotes,
// full-width punctuation, line breaks in strings — and strict about structure.
type reader struct {
	s   string
	pos int
	// lax lets a quote inside a value stand for itself when no comma or bracket follows it.
	lax bool
	// strings says that a value in quotes was met, so that being lax may help.
	strings bool
	// budget is the number of runes that may still be looked at, shared by all readers of a reply.
	budget *int
}

// peek is the next rune, folded; 0 at the end.
func (r *reader) peek() rune {
	if r.pos >= len(r.s) {
		return 0
	}
	if c := r.s[r.pos]; c < utf8.RuneSelf {
		return rune(c)
	}
	c, _ := utf8.DecodeRuneInString(r.s[r.pos:])
	return fold(c)
}

// next takes one rune, as it stands.
func (r *reader) next() rune {
	*r.budget--
	if c := r.s[r.pos]; c < utf8.RuneSelf {
		r.pos++
		return rune(c)
	}
	c, size := utf8.DecodeRuneInString(r.s[r.pos:])
	r.pos += size
	return c
}

func (r *reader) end() bool { return r.pos >= len(r.s) }

func (r *reader) value(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, errDeep
	}
	r.skip()
	if r.end() {
		return value{}, errEnd
	}
	if *r.budget < 0 {
		return value{}, errSpent
	}
	switch c := r.peek(); {
	case c == '{':
		r.next()
		return r.object(depth)
	case c == '[':
		r.next()
		return r.items(depth)
	case quoteOf(c) != 0:
		r.strings = true
		text, err := r.quoted(r.lax)
		return value{kind: kindString, text: text}, err
	}
	return r.bare()
}

// object reads the rest of an object after its brace.
func (r *reader) object(depth int) (value, error) {
	v := value{kind: kindObject}
	for {
		r.skip()
		if r.peek() == '}' {
			r.next()
			return v, nil
		}
		key, err := r.key()
		if err != nil {
			return v, err
		}
		val, err := r.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.fields = append(v.fields, field{key, val})
		done, err := r.afterField(val)
		if done || err != nil {
			return v, err
		}
	}
}

// afterField goes to the next field, or says that the object is complete. The closing brace alone may be missing when
// the last value closed with its own bracket: then nothing was lost.
func (r *reader) afterField(last value) (done bool, err error) {
	newline := r.skip()
	switch c := r.peek(); {
	case c == '}':
		r.next()
		return true, nil
	case c == ',':
		r.next()
		return false, nil
	case last.composite() && r.onlyFence():
		return true, nil
	case r.end():
		return false, errEnd
	case newline && quoteOf(c) != 0: // the comma between two lines is missing
		return false, nil
	}
	return false, errSyntax
}

// key reads a key and its colon.
func (r *reader) key() (string, error) {
	if r.end() {
		return "", errEnd
	}
	var key string
	if quoteOf(r.peek()) != 0 {
		text, err := r.quoted(false)
		if err != nil {
			return "", err
		}
		key = text
	} else {
		v, err := r.bare()
		if err != nil {
			return "", err
		}
		if key = v.text; v.kind == kindBare && !name.MatchString(key) {
			return "", errSyntax
		}
	}
	r.skip()
	switch {
	case r.end():
		return "", errEnd
	case r.peek() != ':' || key == "":
		return "", errSyntax
	}
	r.next()
	return key, nil
}

// separators of a list. A list that mixes them may mean decimal commas: it is refused.
const (
	byComma = 1 << iota
	bySemicolon
	bySpace
)

// items reads the rest of a list after its bracket.
func (r *reader) items(depth int) (value, error) {
	v, used := value{kind: kindList}, 0
	for {
		r.skip()
		if r.peek() == ']' {
			r.next()
			return v, nil
		}
		e, err := r.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.list = append(v.list, e)
		before := r.pos
		r.skip()
		switch c := r.peek(); {
		case r.end():
			return v, errEnd
		case c == ',':
			r.next()
			used |= byComma
		case c == ';':
			r.next()
			used |= bySemicolon
		case c == ']':
		case r.pos > before && (e.kind == kindNumber || e.composite()):
			used |= bySpace
		default:
			return v, errSyntax
		}
		if used&(used-1) != 0 {
			return v, errSyntax
		}
	}
}
