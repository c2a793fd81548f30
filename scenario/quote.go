package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// quote is a text in double quotes. JSON is YAML. What would steer a terminal, or is not seen, is escaped.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a string always can be
		return show(s)
	}
	var out strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		if hidden(r) { // those beyond four digits mean the same unescaped
			fmt.Fprintf(&out, "\\u%04x", r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// hidden says whether a character is not seen as itself.
func hidden(r rune) bool {
	return r <= 0xFFFF && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp))
}

// quoter puts the texts of a document in quotes that YAML without quotes would change, or could not read.
type quoter struct{}

// Visit implements ast.Visitor.
func (q quoter) Visit(n ast.Node) ast.Visitor {
	if pair, ok := n.(*ast.MappingValueNode); ok {
		if key, ok := pair.Key.(*ast.StringNode); ok && (key.Value == "<<" || strings.Contains(key.Value, "\n")) {
			key.Value = quote(key.Value)
		}
	}
	if s, ok := n.(*ast.StringNode); ok && !isQuoted(s.Value) && !survives(s.Value) {
		s.Value = quote(s.Value)
	}
	return q
}

// isQuoted says whether the encoder has put a text in quotes. It leaves those of several lines alone.
func isQuoted(s string) bool { return strings.HasPrefix(s, `"`) && !strings.ContainsAny(s, "\r\n") }

// survives says whether a text is the same after it was written without quotes, and read.
func survives(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && hidden(r) }) {
		return false
	}
	type entry struct {
		Text string   `yaml:"text"`
		List []string `yaml:"list"`
		End  int      `yaml:"end"`
	}
	text, err := yaml.MarshalWithOptions([]entry{{s, []string{s, s}, 1}, {s, []string{s}, 1}}, blockStyle...)
	if err != nil {
		return false
	}
	var read []entry
	if yaml.Unmarshal(text, &read) != nil || len(read) != 2 {
		return false
	}
	for _, e := range read {
		for _, got := range append(e.List, e.Text) {
			if got != s {
				return false
			}
		}
	}
	return len(read[0].List) == 2 && len(read[1].List) == 1
}
