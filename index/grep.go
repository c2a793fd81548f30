package index

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/index/text"
)

// ErrPattern reports a pattern that cannot be read; the error's text says where.
var ErrPattern = errors.New("invalid pattern")

const (
	grepContext = 10 // lines shown before and after a match
	grepMerge   = 20 // matches nearer than this share one hit
	grepLimit   = 50 // hits when no limit is given
)

// Grep returns the places whose lines match pattern, a regular expression of package regexp (RE2, case-sensitive
// unless it begins with (?i)), with 10 lines around; matches nearer than 20 lines are one hit. Hits come in order of Root,
// Path and line, at most limit (default 50 when ≤ 0), of kind KindNone with score 0. Section is the first match's.
//
// It reads the sources as they were indexed, from the store: a file that changed since is found as it was, in
// accordance with all other searches. A pattern that is empty or does not compile gives an
// ErrPattern; matches of empty text do not count.
func (x *Index) Grep(ctx context.Context, pattern string, limit int) ([]Hit, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPattern, err)
	}
	if pattern == "" {
		return nil, fmt.Errorf("%w: it is empty", ErrPattern)
	}
	if limit <= 0 {
		limit = grepLimit
	}
	takes, err := x.takes(ctx)
	if err != nil {
		return nil, err
	}
	var hits []Hit
	for source, err := range x.store.Sources(ctx) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("grep: %w", err)
		}
		if takes != nil && !takes(source.key()) {
			continue
		}
		hits = append(hits, grepSource(source, re, limit-len(hits))...)
		if len(hits) >= limit {
			break
		}
	}
	return hits, nil
}

// grepSource returns the first limit hits in one file.
func grepSource(s Source, re *regexp.Regexp, limit int) []Hit {
	lines := scanLines(s.Text)
	var hits []Hit
	first, last := -1, -1
	flush := func() {
		if first >= 0 && len(hits) < limit {
			hits = append(hits, grepHit(s, lines, first, last))
		}
	}
	for i, l := range lines {
		if len(hits) >= limit {
			return hits
		}
		if !matchesText(re, s.Text[l.start:l.end]) {
			continue
		}
		if first < 0 || i-last >= grepMerge {
			flush()
			first = i
		}
		last = i
	}
	flush()
	return hits
}

// matchesText reports whether re matches something in line that is not empty.
func matchesText(re *regexp.Regexp, line string) bool {
	at := re.FindStringIndex(line)
	if at == nil || at[0] < at[1] {
		return at != nil
	}
	return slices.ContainsFunc(re.FindAllStringIndex(line, -1), func(at []int) bool { return at[0] < at[1] })
}

// grepHit is the lines first to last with their surroundings.
func grepHit(s Source, lines []line, first, last int) Hit {
	from, to := max(0, first-grepContext), min(len(lines)-1, last+grepContext)
	p := Passage{
		Path: s.Path, Root: s.Root, Title: s.Title, Section: sectionAt(s.Passages, first+1),
		StartLine: from + 1, EndLine: to + 1, StartByte: lines[from].start, EndByte: lines[to].end,
	}
	p.Content = strings.Clone(s.Text[p.StartByte:p.EndByte])
	p.ID = PassageID(p.Path, p.StartByte, p.EndByte, p.Content)
	p.Language = text.Language(p.Content)
	return Hit{Passage: p, Kind: KindNone}
}

// sectionAt is the section of the last passage that starts at or above the line.
func sectionAt(passages []Passage, line int) string {
	section := ""
	for _, p := range passages {
		if p.StartLine <= line {
			section = p.Section
		}
	}
	return section
}

// Files returns the indexed files whose path matches pattern, in order of Root and Path. * and ? stay inside a path element,
// ** crosses them, [a-z] and {a,b} work as usual; a pattern without a slash is about the file's name in any folder, an
// empty one matches all. A pattern that cannot be read gives an ErrPattern.
func (x *Index) Files(ctx context.Context, pattern string) ([]File, error) {
	matches, err := pathMatcher(pattern)
	if err != nil {
		return nil, err
	}
	records, err := x.store.Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	takes, err := x.takes(ctx)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, r := range records {
		if matches(r.Path) && (takes == nil || takes(r.key())) {
			files = append(files, r.File)
		}
	}
	return files, nil
}
