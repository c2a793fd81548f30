package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/state"
)

// bulkLine is a question of `ask --jsonl`.
type bulkLine struct {
	ID       json.RawMessage  `json:"id"` // any JSON; default the number of the line
	Question string           `json:"question"`
	Thread   string           `json:"thread"`
	Mode     state.AnswerMode `json:"mode"`

	Collections []string `json:"collections"`
	Paths       []string `json:"paths"`

	fault error // the line cannot be asked
}

// scope is where the question is to be answered from: where the line says nothing, usual.
func (l bulkLine) scope(usual state.Scope) state.Scope {
	if len(l.Collections)+len(l.Paths) == 0 {
		return usual
	}
	return (&scopeFlags{l.Collections, l.Paths}).scope()
}

// longestLine is how long a line of the input may be, in bytes.
const longestLine = 1 << 20

// readBulk reads lines until in ends or fails, or ctx ends; blank ones count but ask nothing. The error, nil at the end of
// in, comes when lines is closed. Where in is silent when ctx ends, the goroutine that reads it stays until the end of
// the program.
func readBulk(ctx context.Context, in io.Reader) (lines <-chan bulkLine, failed <-chan error) {
	out, end := make(chan bulkLine), make(chan error, 1)
	go func() {
		defer close(out)
		s := bufio.NewScanner(in)
		s.Buffer(nil, longestLine)
		n := 0
		for s.Scan() {
			n++
			text := bytes.TrimSpace(bytes.TrimPrefix(s.Bytes(), []byte("\uFEFF")))
			if len(text) == 0 {
				continue
			}
			select {
			case out <- parseBulk(n, text):
			case <-ctx.Done():
				end <- ctx.Err()
				return
			}
		}
		err := s.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("line %d is longer than %d bytes: one line is one question", n+1, longestLine)
		} else if err != nil {
			err = fmt.Errorf("read the questions: %w", err)
		}
		end <- err
	}()
	return out, end
}

// parseBulk reads line n: an object when it begins like one, else the question itself.
func parseBulk(n int, text []byte) bulkLine {
	l := bulkLine{ID: json.RawMessage(fmt.Sprint(n))}
	if text[0] != '{' {
		l.Question = strings.ToValidUTF8(string(text), "\uFFFD")
		return l
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&l)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			err = nil
		} else {
			err = errors.New("something follows the object")
		}
	}
	if bytes.Equal(l.ID, []byte("null")) {
		l.ID = json.RawMessage(fmt.Sprint(n))
	}
	if err != nil {
		l.fault = fmt.Errorf("line %d: %w; a line is a text or an object with question, id, thread, mode, collections and paths", n, err)
		return l
	}
	l.fault = checkQuestion(agent.Question{Text: l.Question, Mode: l.Mode})
	if l.fault != nil {
		l.fault = fmt.Errorf("line %d: %w", n, l.fault)
	}
	return l
}
