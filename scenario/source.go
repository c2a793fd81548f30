package scenario

import (
	"bytes"
	"errors"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// source is the text of a file with the places of its nodes. Positions of tokens count lines and characters; everything
// here counts bytes.
type source struct {
	text  []byte
	lines []int // where each line begins
}

// errPlace reports a node that is not found in the text: an alias, or a form of YAML that the places do not cover.
var errPlace = errors.New("this form of YAML cannot be rewritten: change the expectation by hand")

func newSource(text []byte) *source {
	s := &source{text: text, lines: []int{0}}
	for i, b := range text {
		if b == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// span is where a node begins and ends.
func (s *source) span(n ast.Node) (start, end int, err error) {
	switch n := unwrap(n).(type) {
	case *ast.MappingNode:
		if n.IsFlowStyle {
			return s.between(n.Start, n.End)
		}
		return s.around(n.Values[0], n.Values[len(n.Values)-1])
	case *ast.MappingValueNode:
		return s.pair(n)
	case *ast.SequenceNode:
		if n.IsFlowStyle {
			return s.between(n.Start, n.End)
		}
		return 0, 0, errPlace // blocks are rewritten by item
	case *ast.AliasNode, *ast.MergeKeyNode, nil:
		return 0, 0, errPlace
	case *ast.LiteralNode:
		return s.literal(n)
	default:
		return s.scalar(n.GetToken())
	}
}

// pair is where "key: value" stands.
func (s *source) pair(n *ast.MappingValueNode) (start, end int, err error) {
	start, _, err = s.scalar(n.Key.GetToken())
	if err != nil {
		return 0, 0, err
	}
	_, end, err = s.span(n.Value)
	return start, end, err
}

func (s *source) around(first, last ast.Node) (start, end int, err error) {
	start, _, err = s.span(first)
	if err != nil {
		return 0, 0, err
	}
	_, end, err = s.span(last)
	return start, end, err
}

func (s *source) between(open, closing *token.Token) (start, end int, err error) {
	start, err = s.at(open)
	if err != nil {
		return 0, 0, err
	}
	end, err = s.at(closing)
	return start, end + 1, err
}

// at is where a token begins.
func (s *source) at(t *token.Token) (int, error) {
	if t == nil || t.Position == nil || t.Position.Line < 1 || t.Position.Line > len(s.lines) {
		return 0, errPlace
	}
	offset := s.lines[t.Position.Line-1]
	for range t.Position.Column - 1 {
		if offset >= len(s.text) {
			return 0, errPlace
		}
		offset += len(string(bytes.Runes(s.text[offset:min(len(s.text), offset+4)])[:1]))
	}
	return offset, nil
}

// scalar is where a value stands that is written on its own: plain or in quotes.
func (s *source) scalar(t *token.Token) (start, end int, err error) {
	start, err = s.at(t)
	if err != nil {
		return 0, 0, err
	}
	if t.Type == token.DoubleQuoteType || t.Type == token.SingleQuoteType { // the token's own text has no escapes any more
		end, err = s.quoted(start)
		return start, end, err
	}
	raw := strings.TrimSpace(t.Origin)
	if !bytes.HasPrefix(s.text[start:], []byte(raw)) || raw == "" {
		return 0, 0, errPlace
	}
	return start, start + len(raw), nil
}

// quoted is where a text in quotes ends that begins at an offset.
func (s *source) quoted(start int) (end int, err error) {
	if start >= len(s.text) || s.text[start] != '"' && s.text[start] != '\'' {
		return 0, errPlace
	}
	mark := s.text[start]
	for i := start + 1; i < len(s.text); i++ {
		switch {
		case mark == '"' && s.text[i] == '\\':
			i++
		case s.text[i] != mark:
		case mark == '\'' && i+1 < len(s.text) && s.text[i+1] == mark:
			i++
		default:
			return i + 1, nil
		}
	}
	return 0, errPlace
}

// literal is where a block of text stands, from its | or > on.
func (s *source) literal(n *ast.LiteralNode) (start, end int, err error) {
	start, err = s.at(n.Start)
	if err != nil {
		return 0, 0, err
	}
	end = s.lineEnd(start)
	indent := -1
	for end < len(s.text) {
		next := s.lineEnd(end + 1)
		line := string(s.text[end+1 : next])
		depth := len(line) - len(strings.TrimLeft(line, " "))
		if strings.TrimSpace(line) != "" {
			if indent < 0 {
				indent = depth
			}
			if depth < indent || depth == 0 {
				break
			}
		}
		end = next
		if end == len(s.text) {
			break
		}
	}
	return start, start + len(bytes.TrimRight(s.text[start:end], " \n")), nil
}

// lineStart is where the line that holds an offset begins.
func (s *source) lineStart(offset int) int { return bytes.LastIndexByte(s.text[:offset], '\n') + 1 }

// lineEnd is where it ends, before its line break.
func (s *source) lineEnd(offset int) int {
	if offset >= len(s.text) {
		return len(s.text)
	}
	if i := bytes.IndexByte(s.text[offset:], '\n'); i >= 0 {
		return offset + i
	}
	return len(s.text)
}
