package notify

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/kbagent/kbagent/review"
)

// How much of an entry goes into a message, in characters. The rest is where the review is.
const (
	maxQuestion = 500
	maxAnswer   = 1000
	maxConcern  = 200
	maxConcerns = 5
	maxSubject  = 100
)

// content is what a message says, as plain text.
type content struct {
	subject  string // one line
	facts    [][2]string
	question string
	answer   string
	concerns []string
	where    string // address or command
	isURL    bool
}

// compose makes the content of a message. mask hides what must not leave the machine; nil hides nothing.
func compose(m review.Message, mask func(string) string) content {
	if mask == nil {
		mask = func(s string) string { return s }
	}
	e := m.Entry
	c := content{
		question: clip(plain(mask(e.Question)), maxQuestion),
		answer:   clip(plain(mask(e.Answer)), maxAnswer),
		where:    m.URL,
		isURL:    strings.HasPrefix(m.URL, "http://") || strings.HasPrefix(m.URL, "https://"),
		facts: [][2]string{
			{"Priority", string(e.Priority)}, {"Confidence", confidence(e)}, {"Category", cmp.Or(line(mask(e.Category)), "none")},
			{"Decide by", e.Deadline.UTC().Format(time.RFC1123)}, {"Review", e.ID},
		},
	}
	c.subject = clip(fmt.Sprintf("[kbagent] review needed (%s): %s", e.Priority, line(c.question)), maxSubject)
	for i, concern := range e.Concerns {
		if i == maxConcerns {
			c.concerns = append(c.concerns, fmt.Sprintf("and %d more", len(e.Concerns)-i))
			break
		}
		c.concerns = append(c.concerns, clip(line(mask(concern)), maxConcern))
	}
	return c
}

func confidence(e review.Entry) string {
	if !e.HasConfidence {
		return "not known"
	}
	return fmt.Sprintf("%.2f", e.Confidence)
}

// text is the whole content; escape makes data harmless for the receiver.
func (c content) text(escape func(string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", escape(c.subject))
	for _, f := range c.facts {
		fmt.Fprintf(&b, "%s: %s\n", f[0], escape(f[1]))
	}
	fmt.Fprintf(&b, "\nQuestion:\n%s\n\nAnswer:\n%s\n", escape(c.question), escape(c.answer))
	if len(c.concerns) > 0 {
		b.WriteString("\nConcerns:\n")
	}
	for _, concern := range c.concerns {
		fmt.Fprintf(&b, "- %s\n", escape(concern))
	}
	fmt.Fprintf(&b, "\nDecide: %s\n", escape(c.where))
	return b.String()
}

// plain is s without control characters but line feeds, and without those that turn the direction of the text.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// line is s on one line.
func line(s string) string { return strings.Join(strings.Fields(plain(s)), " ") }

// clip cuts s to n characters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
