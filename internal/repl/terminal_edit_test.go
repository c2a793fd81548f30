//go:build unix

package repl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/internal/termtest"
)

func TestOnATerminalTheLastQuestionComesBackToBeChanged(t *testing.T) {
	m := open(t, "")
	m.Enter("how often?")
	m.Expect("[2] faq.md:L7-L7")
	m.Enter("/edit")
	m.Line("> how often?")
	m.Press("\x7f, exactly?")
	m.Line("> how often, exactly?")
	m.Press(termtest.Enter)
	m.Until("second answer", func(screen string, _ bool) bool { return strings.Count(screen, "[2] faq.md") == 2 })
	assert.Contains(t, m.leave(), `ASKED "how often?" on first; "how often, exactly?" on first (again)`)
}

func TestOnATerminalAQuestionOfSeveralLinesComesBackWhole(t *testing.T) {
	m := open(t, "")
	m.Prompt()
	m.Press("\x1b[200~how\rlong?\x1b[201~")
	m.Line("  long?")
	m.Press(termtest.Enter)
	m.Expect("[2] faq.md:L7-L7")
	m.Enter("/edit")
	m.Line("> how\n  long?")
	m.Press("!")
	m.Line("> how\n  long?!")
	m.Press(termtest.Enter)
	m.Until("second answer", func(screen string, _ bool) bool { return strings.Count(screen, "[2] faq.md") == 2 })
	assert.Contains(t, m.leave(), `"how\nlong?!" on first (again)`)
}

func TestOnATerminalCtrlCGivesUpAnEdit(t *testing.T) {
	m := open(t, "")
	m.Enter("how?")
	m.Enter("/edit")
	m.Line("> how?")
	m.Press(termtest.CtrlC)
	m.Expect("(/quit or Ctrl-D leaves)")
	m.Enter("another?")
	m.Until("second answer", func(screen string, _ bool) bool { return strings.Count(screen, "[2] faq.md") == 2 })
	assert.Contains(t, m.leave(), `"another?" on first`)
	assert.NotContains(t, m.Text(), "again")
}

func TestOnATerminalAnEditThatIsEmptiedIsNone(t *testing.T) {
	m := open(t, "")
	m.Enter("how?")
	m.Enter("/edit")
	m.Line("> how?")
	m.Press("\x15") // Ctrl-U
	m.Prompt()
	m.Press(termtest.Enter)
	m.Until("another prompt", func(screen string, atRest bool) bool { return atRest && strings.HasSuffix(screen, "\n>\n>") })
	m.Enter("another?")
	m.Until("second answer", func(screen string, _ bool) bool { return strings.Count(screen, "[2] faq.md") == 2 })
	assert.Contains(t, m.leave(), `"another?" on first`)
	assert.NotContains(t, m.Text(), "again")
}

func TestOnATerminalALineThatEndsInABackslashGoesOn(t *testing.T) {
	m := open(t, "")
	m.Prompt()
	m.Press("one \\")
	m.Line("> one \\")
	row := m.Row()
	m.Press(termtest.Enter)
	m.Until("second line", func(_ string, atRest bool) bool { return atRest && m.Row() == row+1 })
	m.Press("two")
	m.Line("  two")
	m.Press(termtest.Enter)
	m.Expect("[2] faq.md:L7-L7")
	assert.Contains(t, m.leave(), `ASKED "one \ntwo" on first`)
}

func TestOnATerminalTabForgivesSlipsAndAbbreviations(t *testing.T) {
	m := open(t, "")
	m.Prompt()
	m.Press("/srcs" + termtest.Tab)
	m.Line("> /sources")
	m.Press(" \x15") // Ctrl-U
	m.Prompt()
	m.Press("/thread ester" + termtest.Tab)
	m.Line("> /thread yesterday")
	m.Press(termtest.Enter)
	m.Expect("New thread yesterday.")
	m.leave()
}

func TestOnATerminalTheHistoryCanBeSearched(t *testing.T) {
	m := open(t, "")
	m.Enter("how long are logs kept?")
	m.Enter("how large?")
	m.Prompt()
	m.Press(termtest.CtrlR)
	m.Expect("what was entered")
	m.Press("logs")
	m.Until("the entry that was found", func(screen string, atRest bool) bool {
		_, search, _ := strings.Cut(screen, "(inc-search): logs_")
		return atRest && strings.HasSuffix(search, "how long are logs kept?")
	})
	m.Press(termtest.Enter)
	m.Until("third answer", func(screen string, _ bool) bool { return strings.Count(screen, "[2] faq.md") == 3 })
	told := strings.ReplaceAll(m.leave(), " ", "") // a line that is broken at a space has lost it
	assert.Contains(t, told, `"howlarge?"onfirst;"howlongarelogskept?"onfirst`)
}

func TestOnATerminalTheWindowMayChange(t *testing.T) {
	m := open(t, "")
	m.Enter("hang on")
	m.Expect("searching…")
	m.Resize(30, 10)
	m.Press(termtest.CtrlC)
	m.Expect("Cancelled.")
	m.Enter("markdown please")
	screen := m.Expect("[2] faq.md:L7-L7")
	assert.Contains(t, screen, "> markdown please\nKeys\n\nRotate it [1].\n\n[1]")
	m.Prompt()
	m.Resize(100, 30)
	m.Enter("/threads")
	m.Expect("yesterday  empty")
	m.leave()
}

func TestOnATerminalAnAnswerIsWrappedAtTheWidthOfTheWindow(t *testing.T) {
	m := open(t, "")
	m.Prompt()
	m.Resize(40, 24)
	m.Enter("long please")
	screen := m.Expect("[2] faq.md:L7-L7")
	assert.Contains(t, screen, "A line of many words that is wider than\nthe window in which it is shown to\nsomebody.")
	m.leave()
}

func TestOnATerminalMarkdownIsRenderedBlockByBlock(t *testing.T) {
	m := open(t, "")
	m.Enter("halfway there")
	m.Expect("Keys\n\n**Rot") // the first block is done, the second still comes
	m.Press(termtest.CtrlC)
	m.Expect("Cancelled.")
	m.leave()
}

func TestOnATerminalAListenerIsSpokenTo(t *testing.T) {
	m := open(t, "listener")
	m.Expect("Question:")
	m.Press("how?\n")
	m.Expect("Source 2: faq.md, line 7.")
	m.Until("another prompt", func(screen string, _ bool) bool { return strings.HasSuffix(screen, "\nQuestion:") })
	m.Press("hang on\n")
	m.Until("searching", func(screen string, _ bool) bool { return strings.Count(screen, "Searching.") == 2 })
	m.Press(termtest.CtrlC)
	m.Expect("Cancelled. Ask the same question again")
	m.Until("another prompt", func(screen string, _ bool) bool { return strings.HasSuffix(screen, "\nQuestion:") })
	m.Press(termtest.CtrlD)
	assert.Contains(t, m.end(), `ASKED "how?" on first; "hang on" on first`)
	assert.False(t, m.Colored())
}

func TestOnATerminalANoteIsBrokenAtWords(t *testing.T) {
	m := open(t, "")
	m.Prompt()
	m.Resize(40, 24)
	m.Enter("warned how?")
	m.Expect("note: no model wrote this answer: it\nquotes the passages that fit the\nquestion best")
	m.leave()
}
