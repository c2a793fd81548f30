package eval

import (
	"fmt"
	"slices"
	"strings"
)

// studyFence stands around the items of a prompt. No document of a set holds it; where one did, the agent would take it out.
const studyFence = "~~~simulated~~~"

// studyPrompt is what the script reads in a prompt.
type studyPrompt struct {
	items  []studyItem
	claims []string
}

// studyItem is a passage of a prompt.
type studyItem struct {
	path string
	text string
}

// studyQuoteWords is how many words of a passage are quoted.
const studyQuoteWords = 12

// quote is the first words of the passage, verbatim but for white space.
func (i studyItem) quote() string {
	words := strings.Fields(i.text)
	return strings.Join(words[:min(studyQuoteWords, len(words))], " ")
}

// find is the index of the first item that is, or -1.
func (p studyPrompt) find(is func(studyItem) bool) int { return slices.IndexFunc(p.items, is) }

// readStudyPrompt reads what stands between the fences: claims, line by line, and items, each under the line that names its
// place, "path:1-9 › title".
func readStudyPrompt(prompt string) (p studyPrompt, err error) {
	for rest := prompt; ; {
		_, block, found := strings.Cut(rest, studyFence+" BEGIN ")
		if !found {
			return p, nil
		}
		block, rest, found = strings.Cut(block, studyFence+" END ")
		if !found {
			return p, fmt.Errorf("a fence is open at %.40q", block)
		}
		label, body, _ := strings.Cut(block, "\n")
		if label == "CLAIMS" {
			p.claims, err = studyClaims(body)
		} else {
			err = p.addItem(body)
		}
		if err != nil {
			return p, err
		}
	}
}

func (p *studyPrompt) addItem(body string) error {
	where, text, _ := strings.Cut(body, "\n")
	place, _, _ := strings.Cut(where, " ")
	at := strings.LastIndexByte(place, ':')
	if at < 1 {
		return fmt.Errorf("%.40q names no place", where)
	}
	p.items = append(p.items, studyItem{path: place[:at], text: text})
	return nil
}

// studyClaims reads "1. …" line by line.
func studyClaims(body string) (claims []string, err error) {
	for line := range strings.Lines(strings.TrimSpace(body)) {
		_, claim, numbered := strings.Cut(strings.TrimRight(line, "\n"), ". ")
		if !numbered {
			return nil, fmt.Errorf("%.40q has no number", line)
		}
		claims = append(claims, claim)
	}
	return claims, nil
}
