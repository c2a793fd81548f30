package scenario

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// A Fault is a mistake in a scenario file. [Load] and [Parse] return all of them, joined.
type Fault struct {
	File   string
	Line   int // from 1; 0 when the place is not known
	Column int // in characters, from 1; 0 likewise
	Text   string
	// Excerpt is the lines around the place, with a caret below it; "" when the place is not known.
	Excerpt string
}

// Error is the file, the place, what is wrong, and the excerpt.
func (f *Fault) Error() string {
	place := f.File
	if f.Line > 0 {
		place = fmt.Sprintf("%s:[%d:%d]", f.File, f.Line, f.Column)
	}
	text := strings.TrimSpace(place + " " + f.Text)
	if f.Excerpt != "" {
		text += "\n" + f.Excerpt
	}
	return text
}

// fault is a mistake at a node, while its file is not known.
type fault struct {
	node ast.Node
	text string
}

func (f *fault) Error() string { return f.text }

// located puts the file's name and the place to an error.
func located(file string, err error) error {
	var f *fault
	var wrongType *yaml.TypeError
	var of yaml.Error
	switch {
	case errors.As(err, &f):
		return faultAt(file, f.text, f.node.GetToken())
	case errors.As(err, &wrongType):
		return faultAt(file, fmt.Sprintf("a %s is wanted here, not %q", kindName(wrongType.DstType), wrongType.Token.Value), wrongType.Token)
	case errors.As(err, &of):
		return faultAt(file, of.GetMessage(), of.GetToken())
	}
	return &Fault{File: file, Text: err.Error()}
}

func faultAt(file, text string, t *token.Token) *Fault {
	f := &Fault{File: file, Text: text}
	if t == nil || t.Position == nil {
		return f
	}
	f.Line, f.Column = t.Position.Line, t.Position.Column
	_, excerpt, _ := strings.Cut(yaml.FormatErrorWithToken("", t, false, true), "\n")
	f.Excerpt = strings.TrimRight(excerpt, " \n")
	return f
}

// Faults are the faults that an error of [Load] or [Parse] joins, in their order; an error of another kind becomes a fault
// without a place.
func Faults(err error) []*Fault {
	var joined interface{ Unwrap() []error }
	var f *Fault
	switch {
	case err == nil:
		return nil
	case errors.As(err, &joined):
		var all []*Fault
		for _, one := range joined.Unwrap() {
			all = append(all, Faults(one)...)
		}
		return all
	case errors.As(err, &f):
		return []*Fault{f}
	}
	return []*Fault{{Text: err.Error()}}
}
