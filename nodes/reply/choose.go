package reply

import (
	"regexp"
	"strings"
)

// found is one reading of a reply: a value, a key that is equal for equal values, and where it came from.
type found[T any] struct {
	val    T
	key    string
	before string // the text in front of it
	after  string // the text behind it
	fenced bool
}

var (
	// exampleBefore ends a text that introduces an example.
	exampleBefore = regexp.MustCompile(`(?i)(?:\bexamples?\b|\be\.g\.|\bfor instance\b|\bsuch as\b|例如|比如|例子)[^.\n]{0,40}\s*$|(?i:\blike(?: this| so)?[,:]?\s*$)`)
	exampleAfter  = regexp.MustCompile(`(?i)^[^.\n]{0,10}\b(?:is|was|are|would be)\b[^.\n]{0,10}\b(?:an example|a draft|wrong|not right)`)
	// finalBefore ends a text that introduces what counts.
	finalBefore = regexp.MustCompile(`(?i)(?:\bfinal\b|\bcorrect(?:ed|ion)\b|\brevised\b|\bupdated\b|\bactually\b|\banswer\b|\\boxed\{|最终|答案|更正|修正)[^.\n]{0,40}\s*$`)
	// doubtBefore takes such an introduction back.
	doubtBefore = regexp.MustCompile(`(?i)(?:\bnot\b|\bwrong\b|\bbad\b|\bwould\b|\bcould\b|\bdraft\b|\bprevious\b|\bfirst\b|\binstead of\b|\bif\b)[^\n]{0,60}\s*$`)
	fenceMark   = regexp.MustCompile("```[ \t]*[A-Za-z0-9_+-]*[ \t]*")
)

// introduction is the last part of a text in front of a group, without fences and white space at its end.
func introduction(s string) string {
	return strings.TrimRight(fenceMark.ReplaceAllString(lastBytes(s, 200), ""), " \t\r\n*_`$([{")
}

// choose picks the one reading that counts. Readings that say the same are one; examples do not count; of several, the
// last one counts when it alone stands in a fence or is called final.
func choose[T any](all []found[T]) (T, error) {
	var zero T
	var rest []found[T]
	for _, f := range all {
		if !f.example() {
			rest = append(rest, f)
		}
	}
	if len(rest) == 0 {
		return zero, faultExample
	}
	last := rest[len(rest)-1]
	different, fences := false, 0
	for _, f := range rest {
		different = different || f.key != last.key
		if f.fenced {
			fences++
		}
	}
	if counts := last.fenced && fences == 1 || last.final(); different && !counts {
		return zero, faultAmbiguous
	}
	return last.val, nil
}

func (f found[T]) example() bool {
	return exampleBefore.MatchString(introduction(f.before)) || exampleAfter.MatchString(f.after)
}

func (f found[T]) final() bool {
	intro := introduction(f.before)
	if strings.HasSuffix(strings.TrimRight(f.before, " \t\r\n"), `\boxed{`) {
		return true
	}
	return finalBefore.MatchString(intro) && !doubtBefore.MatchString(intro)
}

// locate describes where group i stands, for a reading of it.
func locate[T any](s string, groups []group, i int, val T, key string) found[T] {
	after := s[groups[i].end:]
	if i+1 < len(groups) {
		after = s[groups[i].end:groups[i+1].start]
	}
	return found[T]{
		val:    val,
		key:    key,
		before: between(s, groups, i),
		after:  clip(after, 80),
		fenced: groups[i].fenced,
	}
}
