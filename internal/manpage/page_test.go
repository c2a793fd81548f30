package manpage

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// tree is a small program of two commands, whose help holds what roff could take for its own.
func tree() *cobra.Command {
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "tool", Short: "Do things", Long: "tool does things with TOOL_* settings.\n\n.hidden files stay: \\n is no newline."}
	root.PersistentFlags().String("dir", ".tool", "where things are")
	sub := &cobra.Command{Use: "undo THING", Short: "Undo \"things\"", Example: "  tool undo 'a-b' --times 2\n  'quoted' first", Run: run}
	sub.Flags().IntP("times", "t", 3, "how often")
	sub.Flags().Bool("secret", false, "not for you")
	_ = sub.Flags().MarkHidden("secret")
	root.AddCommand(sub, &cobra.Command{Use: "fit", Short: "Not for you", Hidden: true, Run: run})
	return root
}

func write(t *testing.T, cmd *cobra.Command, info Info) string {
	var b bytes.Buffer
	require.NoError(t, Write(&b, cmd, info))
	return b.String()
}

func TestAPageHoldsTheHelpOfItsCommand(t *testing.T) {
	root := tree()
	assert.Equal(t, `.TH "TOOL\-UNDO" "1" "" "tool 1.2" "tool"
.nh
.ad l
.SH NAME
tool\-undo \- Undo \(dqthings\(dq
.SH SYNOPSIS
\fBtool undo THING [flags]\fR
.SH "DESCRIPTION"
Undo \(dqthings\(dq.
.SH "OPTIONS"
.TP
\fB\-h, \-\-help\fR
help for undo
.TP
\fB\-t, \-\-times int\fR
how often (default 3)
.SH "OPTIONS OF ALL COMMANDS"
.TP
\fB\-\-dir string\fR
where things are (default .tool)
.SH EXAMPLES
.nf
  tool undo \(aqa\-b\(aq \-\-times 2
  \(aqquoted\(aq first
.fi
.SH "SEE ALSO"
\fBtool\fR(1)
`, write(t, root.Commands()[1], Info{Version: "1.2"}))
}

func TestTheRootPageListsCommandsAndHoldsTheFurtherSections(t *testing.T) {
	info := Info{Sections: []Section{{Title: "FILES", Text: "Two.", Entries: []Entry{{".toolrc", "settings"}}}}}
	page := write(t, tree(), info)
	assert.Contains(t, page, "tool does things with TOOL_* settings.\n.PP\n\\&.hidden files stay: \\en is no newline.\n")
	assert.Contains(t, page, ".SH \"COMMANDS\"\n.TP\n\\fBtool undo\\fR\nUndo")
	assert.Contains(t, page, ".SH \"FILES\"\nTwo.\n.TP\n\\fB\\&.toolrc\\fR\nsettings\n.SH \"SEE ALSO\"\n\\fBtool\\-undo\\fR(1)\n")
	assert.NotContains(t, page, "Not for you")
	assert.NotContains(t, write(t, tree().Commands()[1], info), "toolrc", "only the root's page has them")
}

// Whatever a help says, roff prints it as it stands.
func TestGroffPrintsEscapedTextAsItStands(t *testing.T) {
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("groff is not installed")
	}
	const letters = "ab .'\\-\"`^~%$*{}[]()!#&…–é中"
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune(letters)), 1, 40, -1).Filter(func(s string) bool {
			return strings.TrimSpace(s) != ""
		}).Draw(t, "text")
		cmd := exec.Command("groff", "-Tutf8", "-P-cbou", "-man")
		cmd.Stdin = strings.NewReader(".TH X 1\n.nh\n.ad l\n.SH S\n.nf\n" + escape(text) + "\n.fi\n")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if strings.TrimSpace(line) == strings.TrimSpace(text) {
				return
			}
		}
		t.Fatalf("%q is not in\n%s", text, out)
	})
}
