package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// An edit replaces lines of one file.
type edit struct {
	line  int // in the list
	file  string
	lines []change
}

// A change is one line of an edit.
type change struct {
	sign byte // '-' goes, '+' comes, ' ' stays
	text string
}

// errApply is wrapped by the errors of edits that do not fit their file.
var errApply = errors.New("does not apply")

func (e *edit) add(sign byte, text string) { e.lines = append(e.lines, change{sign, text}) }

// check refuses an edit that cannot change anything.
func (e *edit) check() error {
	switch before := e.side('+'); before {
	case "":
		return fmt.Errorf("the edit of %s names no line that is there", e.file)
	case e.side('-'):
		return fmt.Errorf("the edit of %s changes nothing", e.file)
	}
	return nil
}

// side is the text of all lines but those with a sign.
func (e *edit) side(without byte) string {
	var b strings.Builder
	for _, c := range e.lines {
		if c.sign != without {
			b.WriteString(c.text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// apply makes the edit. The error wraps errApply when the lines are not there exactly once.
func (e *edit) apply(text string) (string, error) {
	text = "\n" + text // whole lines only
	before, after := "\n"+e.side('+'), "\n"+e.side('-')
	at := strings.Index(text, before)
	if at < 0 {
		return "", fmt.Errorf("%w: its lines are not in %s (list, line %d)", errApply, e.file, e.line)
	}
	if strings.Contains(text[at+1:], before) {
		return "", fmt.Errorf("%w: its lines are in %s more than once (list, line %d)", errApply, e.file, e.line)
	}
	return (text[:at] + after + text[at+len(before):])[1:], nil
}

// plant makes all edits of a violation and returns the changed files by name. It writes nothing.
func (v *violation) plant(root fs.FS) (map[string]string, error) {
	changed := map[string]string{}
	for i := range v.edits {
		e := &v.edits[i]
		text, ok := changed[e.file]
		if !ok {
			data, err := fs.ReadFile(root, e.file)
			if err != nil {
				return nil, fmt.Errorf("%w: %w", errApply, err)
			}
			text = strings.ReplaceAll(string(data), "\r\n", "\n")
		}
		text, err := e.apply(text)
		if err != nil {
			return nil, err
		}
		changed[e.file] = text
	}
	return changed, nil
}
