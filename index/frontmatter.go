package index

import (
	"regexp"
	"strings"
)

// frontMatter returns the line after the front matter, 0 where there is none, and takes the title from it.
// It knows YAML between --- lines, TOML between +++ lines, and JSON in a comment <!--{ … }-->.
func (s *markdownScanner) frontMatter() (next int) {
	if len(s.lines) < 2 {
		return 0
	}
	var title *regexp.Regexp
	switch strings.TrimRight(s.text(0), " \t") {
	case "---":
		next, title = s.fencedBy("---", "..."), yamlTitle
		if next > 0 && !s.yamlFrom(1, next-1) {
			return 0 // two thematic breaks
		}
	case "+++":
		next, title = s.fencedBy("+++"), tomlTitle
	case "<!--{":
		next, title = s.fencedBy("}-->"), jsonTitle
	}
	for i := 1; i < next-1; i++ {
		if m := title.FindStringSubmatch(s.text(i)); m != nil && !s.hasTitle {
			s.setTitle(m[1])
		}
	}
	return next
}

// yamlFrom reports whether the first of the lines [from, to) that is not blank looks like YAML; without any it does.
func (s *markdownScanner) yamlFrom(from, to int) bool {
	for from < to && s.blank(from) {
		from++
	}
	return from == to || yamlKey.MatchString(s.text(from))
}

// fencedBy returns the line after the first one that is one of ends, 0 when there is none.
func (s *markdownScanner) fencedBy(ends ...string) int {
	for i := 1; i < len(s.lines); i++ {
		for _, end := range ends {
			if strings.TrimRight(s.text(i), " \t") == end {
				return i + 1
			}
		}
	}
	return 0
}

func (s *markdownScanner) setTitle(value string) {
	value = strings.TrimSpace(value)
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	if value != "" {
		s.title, s.hasTitle = value, true
	}
}

var (
	yamlKey   = regexp.MustCompile(`^(?:["']?[\w.-]+["']?\s*:(?:\s|$)|#)`)
	yamlTitle = regexp.MustCompile(`^["']?[tT]itle["']?\s*:\s+(.*)$`)
	tomlTitle = regexp.MustCompile(`^[tT]itle\s*=\s*(.*)$`)
	jsonTitle = regexp.MustCompile(`^\s*"[tT]itle"\s*:\s*("(?:[^"\\]|\\.)*")`)
)
