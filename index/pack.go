package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index/text"
)

// A piece is a part of a document that is not cut any further: lines, or a part of an oversized line.
type piece struct {
	start, end          int    // bytes
	firstLine, lastLine int    // 0-based, inclusive
	size                int    // in thirds of words
	columns             string // the names of the columns of rows that are cut from their head
	glued               bool
}

// pieces cuts blocks into pieces of at most MaxWords.
func (d *outline) pieces(blocks []block, opts SplitOptions) []piece {
	var out []piece
	for _, b := range blocks {
		whole := d.piece(b.from, b.to)
		whole.glued = b.glued
		if whole.size <= opts.limit() {
			out = append(out, whole)
			continue
		}
		n := len(out)
		out = d.cutBlock(out, b, opts)
		out[n].glued = b.glued
		for i := range out[n+1:] {
			out[n+1+i].columns = b.columns
		}
	}
	return out
}

func (d *outline) piece(from, to int) piece {
	p := piece{start: d.lines[from].start, end: d.lines[to-1].end, firstLine: from, lastLine: to - 1}
	p.size = sizeOf(d.src[p.start:p.end])
	return p
}

// cutBlock cuts b at its cuts, and what is still too large at every line that is not blank.
func (d *outline) cutBlock(out []piece, b block, opts SplitOptions) []piece {
	from := b.from
	for i := range len(b.cuts) + 1 {
		to := b.to
		if i < len(b.cuts) {
			to = b.cuts[i]
		}
		if to <= from {
			continue
		}
		if part := d.piece(from, to); part.size <= opts.limit() {
			out = append(out, d.trimmed(part))
		} else {
			out = d.cutLines(out, from, to, opts)
		}
		from = to
	}
	return out
}

// trimmed is p without blank lines at its end.
func (d *outline) trimmed(p piece) piece {
	for p.lastLine > p.firstLine && d.blank(p.lastLine) {
		p.lastLine--
	}
	p.end = d.lines[p.lastLine].end
	return p
}

func (d *outline) cutLines(out []piece, from, to int, opts SplitOptions) []piece {
	for i := from; i < to; i++ {
		if d.blank(i) {
			continue
		}
		if p := d.piece(i, i+1); p.size <= opts.limit() {
			out = append(out, p)
		} else {
			n := len(out)
			out = d.cutLine(out, p, opts.limit())
			glueRest(out[n+1:], opts.smallRest())
		}
	}
	return out
}

// glueRest glues the last pieces of a line that was cut, as many as are a small rest together, to what they follow: they
// belong with their own line rather than with the next.
func glueRest(pieces []piece, small int) {
	sum := 0
	for i := len(pieces) - 1; i >= 0; i-- {
		if sum += pieces[i].size; sum >= small {
			return
		}
		pieces[i].glued = true
	}
}

// cutLine cuts a line that is too large at the ends of its sentences, and those between words, and those between runes.
func (d *outline) cutLine(out []piece, p piece, limit int) []piece {
	whole := d.src[p.start:p.end]
	var ends []int
	for _, s := range text.Sentences(whole) {
		ends = append(ends, s.End)
	}
	ends = append(ends, len(whole))
	start := 0
	for _, end := range ends {
		for start < end {
			cut := start + fit(whole[start:end], limit)
			if part := strings.TrimSpace(whole[start:cut]); part != "" {
				q := p
				q.start = p.start + start + strings.Index(whole[start:cut], part)
				q.end, q.size = q.start+len(part), sizeOf(part)
				out = append(out, q)
			}
			start = cut
		}
	}
	return out
}

// fit is the length of the longest start of s that is not larger than limit, cut after white space if there is any.
// It is at least one rune.
func fit(s string, limit int) int {
	size, letters, space := 0, 0, 0
	for i, r := range s {
		switch {
		case unicode.IsSpace(r):
			letters, space = 0, i+utf8.RuneLen(r)
		case isIdeograph(r):
			size, letters = size+2, 0
		default:
			if letters%16 == 0 {
				size += sizeUnit
			}
			letters++
		}
		if size > limit && i > 0 {
			if space > 0 {
				return space
			}
			return i
		}
	}
	return len(s)
}

// pack joins the pieces of one section into passages of about TargetWords and at most MaxWords.
// A piece that belongs to the one before stays with it where MaxWords allows, and a small rest joins what it follows.
func pack(pieces []piece, opts SplitOptions) []piece {
	target, limit := opts.target(), opts.limit()
	var out []piece
	for _, p := range pieces {
		if n := len(out); n > 0 && joins(out[n-1], p, target, limit) {
			out[n-1] = out[n-1].with(p)
		} else {
			out = append(out, p)
		}
	}
	if n := len(out); n > 1 && out[n-1].size < opts.smallRest() && out[n-2].size+out[n-1].size <= limit {
		out[n-2] = out[n-2].with(out[n-1])
		out = out[:n-1]
	}
	return out
}

func joins(open, p piece, target, limit int) bool {
	sum := open.size + p.size
	return sum <= target || sum <= limit && (p.glued || open.size < target/3)
}

func (p piece) with(q piece) piece {
	p.end, p.lastLine, p.size = q.end, q.lastLine, p.size+q.size
	return p
}
