package manpage

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// page is a manual page in the making.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) head(cmd *cobra.Command, version string) {
	foot := strings.TrimSpace(cmd.Root().Name() + " " + version)
	p.line(`.TH "%s" "1" "" "%s" "%s"`, escape(strings.ToUpper(Name(cmd))), escape(foot), escape(cmd.Root().Name()))
	p.line(".nh\n.ad l") // commands and addresses are not hyphenated
	p.line(".SH NAME\n%s \\- %s", escape(Name(cmd)), escape(cmd.Short))
	p.line(".SH SYNOPSIS\n\\fB%s\\fR", escape(cmd.UseLine()))
}

// section writes nothing for an empty section.
func (p *page) section(s Section) {
	if s.Text == "" && len(s.Entries) == 0 {
		return
	}
	p.line(`.SH "%s"`, escape(s.Title))
	for i, paragraph := range strings.Split(strings.TrimSpace(s.Text), "\n\n") {
		if i > 0 {
			p.line(".PP")
		}
		if paragraph != "" {
			p.line("%s", escape(paragraph))
		}
	}
	for _, e := range s.Entries {
		p.line(".TP\n\\fB%s\\fR\n%s", escape(e.Term), escape(e.Text))
	}
}

// examples keeps lines as they are.
func (p *page) examples(text string) {
	if text == "" {
		return
	}
	p.line(".SH EXAMPLES\n.nf\n%s\n.fi", escape(text))
}

func (p *page) seeAlso(cmd *cobra.Command) {
	var names []string
	if cmd.HasParent() {
		names = append(names, Name(cmd.Parent()))
	}
	for _, sub := range Visible(cmd) {
		names = append(names, Name(sub))
	}
	if len(names) == 0 {
		return
	}
	p.line(`.SH "SEE ALSO"`)
	for i, name := range names {
		comma := ","
		if i == len(names)-1 {
			comma = ""
		}
		p.line("\\fB%s\\fR(1)%s", escape(name), comma)
	}
}

// escape makes text that roff prints as it stands: a backslash, quotation marks and hyphens are no longer special, a line
// that begins like a request is text, and characters outside of ASCII are named by their code points.
func escape(text string) string {
	var b strings.Builder
	start := true
	for _, c := range text {
		if start && (c == '.' || c == '\'') {
			b.WriteString(`\&`)
		}
		start = c == '\n'
		if name, special := specials[c]; special {
			b.WriteString(name)
		} else if c > '~' {
			fmt.Fprintf(&b, `\[u%04X]`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// specials are the characters of ASCII that roff would change: a hyphen or an accent would become a typographic one, and
// could no longer be copied into a shell.
var specials = map[rune]string{'\\': `\e`, '-': `\-`, '"': `\(dq`, '\'': `\(aq`, '`': `\(ga`, '^': `\(ha`, '~': `\(ti`, '\t': "    "}
