package load

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index"
)

// marked is a text with the headings of its markup.
func marked(k kind, source string) index.Loaded {
	lines := splitLines(source)
	loaded := index.Loaded{Text: source}
	switch k {
	case kindRST:
		loaded.Marks = rstHeadings(lines)
	case kindAsciiDoc:
		loaded.Marks = starHeadings(lines, asciiDocHeading, "----", "....", "====", "```", "****", "////", "++++", "|===")
	case kindOrg:
		loaded.Marks = starHeadings(lines, orgHeading, "#+")
	}
	for _, m := range loaded.Marks {
		if m.Level == 1 {
			loaded.Title = m.Title
			break
		}
	}
	return loaded
}

// splitLines are the lines of s without their breaks and without a byte order mark.
func splitLines(s string) []string {
	lines := strings.Split(strings.TrimPrefix(s, "\ufeff"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

// rstHeadings finds titles that are underlined, or over- and underlined, by punctuation. The order in which the styles occur
// gives their levels (docutils, "Sections").
func rstHeadings(lines []string) (marks []index.Mark) {
	var styles []string
	for i := 1; i < len(lines); i++ {
		style, title := adornment(lines[i]), strings.TrimSpace(lines[i-1])
		if style == "" || title == "" || adornment(lines[i-1]) != "" || utf8.RuneCountInString(strings.TrimSpace(lines[i])) < min(titleWidth(title), 40) {
			continue
		}
		first := i - 1
		if over := i >= 2 && adornment(lines[i-2]) == style; over {
			style, first = style+style, i-2
		} else if i >= 2 && strings.TrimSpace(lines[i-2]) != "" || lines[i-1][0] == ' ' {
			continue // the last line of a paragraph over a rule, or a row of a table
		}
		level := slices.Index(styles, style)
		if level < 0 {
			level = len(styles)
			styles = append(styles, style)
		}
		marks = append(marks, index.Mark{Line: first + 1, Level: level + 1, Title: title})
	}
	return marks
}

// titleWidth is how many columns a title takes: its underline may be as short as this. Some writers count wide characters once.
func titleWidth(title string) int { return utf8.RuneCountInString(title) }

// adornment is the character of a line of three or more equal punctuation marks, "" for another line.
func adornment(line string) string {
	line = strings.TrimRight(line, " \t")
	if len(line) < 3 || !strings.ContainsRune("=-`:.'\"~^_*+#<>", rune(line[0])) || strings.Trim(line, line[:1]) != "" {
		return ""
	}
	return line[:1]
}

var (
	asciiDocHeading = regexp.MustCompile(`^(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+=+)?[ \t]*$`)
	orgHeading      = regexp.MustCompile(`^(\*{1,8})[ \t]+(?:(?:TODO|DONE)[ \t]+)?(\S.*?)(?:[ \t]+:[\w@:]+:)?[ \t]*$`)
)

// starHeadings finds lines that begin with as many signs as their level says, outside of blocks between fences. The fence
// #+ stands for #+BEGIN_ and #+END_.
func starHeadings(lines []string, heading *regexp.Regexp, fences ...string) (marks []index.Mark) {
	inside := ""
	for i, line := range lines {
		if inside != "" {
			if closes(line, inside) {
				inside = ""
			}
			continue
		}
		if inside = opens(line, fences); inside != "" {
			continue
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			marks = append(marks, index.Mark{Line: i + 1, Level: len(m[1]), Title: m[2]})
		}
	}
	return marks
}

func opens(line string, fences []string) string {
	line = strings.TrimRight(line, " \t")
	for _, f := range fences {
		switch {
		case f == "#+" && strings.HasPrefix(strings.ToLower(line), "#+begin_"):
			return f
		case f == "```" && strings.HasPrefix(line, f):
			return f
		case f != "#+" && strings.HasPrefix(line, f) && strings.Trim(line, line[len(line)-1:]) == strings.Trim(f, f[len(f)-1:]):
			return line
		}
	}
	return ""
}

func closes(line, fence string) bool {
	line = strings.TrimRight(line, " \t")
	if fence == "#+" {
		return strings.HasPrefix(strings.ToLower(line), "#+end_")
	}
	return line == fence
}
