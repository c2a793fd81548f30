package verify

import (
	"regexp"
	"strings"
)

// claimBody is an answer with only that left in which claims can stand: headings, code blocks, heads of tables, sources and
// link definitions are blank lines, and citation markers, link targets and bold type are gone.
func claimBody(answer string) string {
	var b strings.Builder
	lines := strings.Split(strings.ReplaceAll(answer, "\r\n", "\n"), "\n")
	var r claimReader
	for i, line := range lines {
		next := ""
		if i+1 < len(lines) {
			next = strings.TrimSpace(lines[i+1])
		}
		if r.keeps(line, next) {
			b.WriteString(claimLine(line))
		} else {
			b.WriteByte('\n') // what is left out joins nothing
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// claimReader goes through the lines of an answer.
type claimReader struct {
	fence   string // the run that opened the code block we are in
	sources bool   // in a list of sources
}

// keeps says whether claims can stand on a line; next is the line after it, trimmed.
func (r *claimReader) keeps(line, next string) bool {
	text := strings.TrimSpace(line)
	if mark := claimFence(text); mark != "" || r.fence != "" {
		switch {
		case r.fence == "":
			r.fence = mark
		case strings.HasPrefix(mark, r.fence) && len(mark) == len(text):
			r.fence = ""
		}
		return false
	}
	if claimSources.MatchString(text) {
		r.sources = true
		return false
	}
	heading := claimHeading.MatchString(text) || claimUnderline.MatchString(next) && isTitle(text)
	if r.sources {
		r.sources = !heading && (text == "" || claimSourceLine.MatchString(text))
	}
	tableHead := strings.HasPrefix(text, "|") && claimBorder.MatchString(next)
	return !r.sources && !heading && !tableHead && !claimSourceRef.MatchString(text)
}

// isTitle reports a line that can be a heading by the line under it: no row of a table, and not the end of a sentence, behind which
// three hyphens are meant as a rule.
func isTitle(text string) bool {
	return text != "" && text[0] != '|' && !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "。") && !strings.HasSuffix(text, "]")
}

// claimFence is the run of backticks or tildes that opens or may close a code block, "" on other lines.
func claimFence(text string) string {
	if text == "" || text[0] != '`' && text[0] != '~' {
		return ""
	}
	n := len(text) - len(strings.TrimLeft(text, text[:1]))
	if n < 3 || text[0] == '`' && strings.Contains(text[n:], "`") {
		return ""
	}
	return text[:n]
}

var (
	// A title with # before it, or in bold type or ending in a colon with nothing else on the line.
	claimHeading   = regexp.MustCompile(`^(#{1,6}(\s|$)|\*\*[^*]{1,80}\*\*[:：]?$|__[^_]{1,80}__[:：]?$)`)
	claimUnderline = regexp.MustCompile(`^(={2,}|-{2,})$`)
	claimBorder    = regexp.MustCompile(`^\|?\s*:?-+:?\s*(\|\s*:?-*:?\s*)*$`)

	claimSources = regexp.MustCompile(`(?i)^[#*_\s]*(sources?|references?|citations?|footnotes?|bibliography|further reading|see also|` +
		`来源|资料来源|信息来源|参考|参考资料|参考文献|引用|引用来源|出处)[*_\s]*[:：]?[*_\s]*$`)
	claimSourceLine = regexp.MustCompile(`^([-*+•]\s|\d+[.)]\s|\[\^?\d+\]|【\d+】|https?://|\S+:L?\d+)`)
	// "[1] path.md:L3-L9", "[1]: https://…", "Sources: [1], [2]", "Source: guide.md"
	claimSourceRef = regexp.MustCompile(`(?i)^([-*+•]\s+)?(\[\^?\d+\](:|\s+\S+(:L?\d+(-L?\d+)?|\.(md|txt|html?|pdf))\s*$|\s+https?://)|` +
		`(sources?|references?|来源|参考资料|出处)\s*[:：])`)

	claimMarker = regexp.MustCompile(`\s*(\[\^?\d+(\s*[,，、;–-]\s*\^?\d+)*\]|【\d+(†[^】]{0,80})?】)`)
	claimLink   = regexp.MustCompile(`!?\[([^\[\]]{1,300})\]\([^()\s]{1,500}\)`)
	claimCode   = regexp.MustCompile("`[^`]*`")
)

// claimLine is a line without links' targets, citation markers and bold type; what stands in backticks stays.
func claimLine(line string) string {
	var b strings.Builder
	last := 0
	for _, code := range claimCode.FindAllStringIndex(line, -1) {
		b.WriteString(claimProse(line[last:code[0]]))
		b.WriteString(line[code[0]:code[1]])
		last = code[1]
	}
	b.WriteString(claimProse(line[last:]))
	return b.String()
}

func claimProse(s string) string {
	if strings.Contains(s, "](") {
		s = claimLink.ReplaceAllString(s, "$1")
	}
	if strings.ContainsAny(s, "[【") {
		s = claimMarker.ReplaceAllString(s, "")
	}
	s = strings.ReplaceAll(s, "**", "")
	return strings.ReplaceAll(s, "__", "")
}
