package index

import (
	"regexp"
	"strings"
)

// startsBlock reports a line that ends a paragraph or list before it: a heading or a fence.
func startsBlock(line string) bool {
	level, _ := atxHeading(line)
	return level > 0 || fenceOf(strings.TrimSpace(line)) != ""
}

// atxHeading returns level and text of a "## heading ##" line, 0 for another one.
func atxHeading(line string) (level int, title string) {
	indented := len(line) - len(strings.TrimLeft(line, " "))
	line = strings.TrimSpace(line)
	for level < len(line) && line[level] == '#' {
		level++
	}
	if indented > 3 || level == 0 || level > 6 || level < len(line) && line[level] != ' ' && line[level] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(line[level:])
	if closed := strings.TrimRight(title, "#"); closed == "" || strings.HasSuffix(closed, " ") {
		title = strings.TrimSpace(closed)
	}
	return level, title
}

// underline returns the level that a line of = or - gives to the line above it, 0 for another line.
func underline(line string) int {
	line = strings.TrimSpace(line)
	switch {
	case len(line) >= 2 && strings.Trim(line, "=") == "":
		return 1
	case len(line) >= 2 && strings.Trim(line, "-") == "":
		return 2
	default:
		return 0
	}
}

// fenceOf returns the run of three or more ` or ~ that opens a code block, "" for another line.
func fenceOf(trimmed string) string {
	if !strings.HasPrefix(trimmed, "```") && !strings.HasPrefix(trimmed, "~~~") {
		return ""
	}
	rest := strings.TrimLeft(trimmed, trimmed[:1])
	if trimmed[0] == '`' && strings.Contains(rest, "`") {
		return "" // inline code
	}
	return trimmed[:len(trimmed)-len(rest)]
}

func closesFence(trimmed, fence string) bool {
	return len(trimmed) >= len(fence) && strings.Trim(trimmed, fence[:1]) == ""
}

var item = regexp.MustCompile(`^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)`)

// itemIndent is the indentation of a list item, -1 for another line. A tab counts four.
func itemIndent(line string) int {
	if !item.MatchString(line) {
		return -1
	}
	indent := 0
	for _, c := range line {
		switch c {
		case ' ':
			indent++
		case '\t':
			indent += 4
		default:
			return indent
		}
	}
	return indent
}

var (
	headingID   = regexp.MustCompile(`\s*\{[#.:][^}]*\}\s*$`)
	inlineLink  = regexp.MustCompile(`!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])`)
	inlineTag   = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)
	inlineMarks = strings.NewReplacer("**", "", "__", "", "`", "", `\`, "")
)

// plainHeading is a heading without its anchor, links, tags and marks.
func plainHeading(title string) string {
	title = headingID.ReplaceAllString(title, "")
	title = inlineLink.ReplaceAllString(title, "$1")
	title = inlineTag.ReplaceAllString(title, "")
	return strings.Join(strings.Fields(inlineMarks.Replace(title)), " ")
}
