package repl

import (
	"fmt"
	"strings"
)

// exportMarkdown is a conversation as a document: a heading for each question, the answer, its sources with their quotes.
func exportMarkdown(thread string, turns []turn) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Conversation %s\n", thread)
	for _, t := range turns {
		t.markdown(&b)
	}
	return b.String()
}

func (t turn) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n", strings.Join(strings.Fields(t.Question), " "))
	switch {
	case t.Answer == "" && t.Status == "":
		b.WriteString("*This question has no answer yet.*\n")
		return
	default:
		b.WriteString(strings.TrimSpace(t.Answer) + "\n")
	}
	if t.Pruned {
		b.WriteString("\n*What this answer cites was pruned.*\n")
		return
	}
	b.WriteString("\n")
	for _, c := range t.Citations {
		fmt.Fprintf(b, "- [%d] `%s:L%d-L%d`%s\n%s", c.N, c.Path, c.StartLine, c.EndLine, page(c.Page), quoted(c.Quote))
	}
	if len(t.Citations) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "*%s*\n", t.summary())
}

// summary is what there is to say about an answer, in one line.
func (t turn) summary() string {
	parts := []string{string(t.Status)}
	if t.Confidence != nil {
		parts = append(parts, fmt.Sprintf("confidence %.2f", *t.Confidence))
	}
	if t.Mode != "" {
		parts = append(parts, "mode "+strings.ReplaceAll(string(t.Mode), "_", " "))
	}
	if !t.AskedAt.IsZero() {
		parts = append(parts, t.AskedAt.UTC().Format("2006-01-02 15:04 MST"))
	}
	return strings.Join(append(parts, t.Warnings...), "; ")
}

func page(name string) string {
	if name == "" {
		return ""
	}
	return ", " + name
}

// quoted is the lines of a quote, set off below the source that they stand in.
func quoted(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		b.WriteString(strings.TrimRight("  > "+line, " ") + "\n")
	}
	return b.String()
}
