package repl

import (
	"context"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/kbagent/kbagent/agent"
)

// why explains the last run of the thread: on a terminal as a picture, otherwise and on request in words.
func (s *session) why(ctx context.Context, how string) error {
	last, _, err := s.cfg.Agent.State(ctx, s.thread)
	if err != nil {
		return err
	}
	text := agent.Explain(last)
	switch how {
	case "", "words":
	case "picture":
		text = agent.Picture(last)
	default:
		return s.wrong("/why", "nothing, words or picture")
	}
	if how == "" && s.screen.live {
		text = agent.Picture(last)
		columns, _ := s.screen.size()
		text = foldPicture(text, columns-1)
	}
	if s.screen.words {
		text = strings.ReplaceAll(text, " → ", s.then())
	}
	s.screen.println(strings.TrimRight(clean(text), "\n"))
	return nil
}

// pictureMargin is how many columns of a picture stand left of what is told.
const pictureMargin = 12

// foldPicture breaks the lines of a picture that are wider than the screen, and goes on beside the way.
func foldPicture(text string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, foldLine(line, width)...)
	}
	return strings.Join(lines, "\n")
}

func foldLine(line string, width int) []string {
	runes := []rune(line)
	if uniseg.StringWidth(line) <= width || len(runes) <= pictureMargin || width <= 2*pictureMargin {
		return []string{line}
	}
	margin, more := string(runes[:pictureMargin]), "    │       "
	if strings.TrimSpace(margin) == "" {
		more = margin
	}
	var lines []string
	for i, part := range wrap([]span{{text: string(runes[pictureMargin:])}}, width-pictureMargin) {
		if i > 0 {
			margin = more
		}
		lines = append(lines, margin+markdown{}.paint(part))
	}
	return lines
}
