package index

import (
	"fmt"
	"path"
	"strings"

	"github.com/kbagent/kbagent/index/text"
)

// splitRecipe names this version of splitting and segmentation: raise it when either changes what it returns,
// so that the next update indexes every file anew.
const splitRecipe = "split2 terms2"

// SplitOptions sets the size of passages, in words; a Chinese, Japanese or Korean character counts two thirds of a word,
// and every started 16 letters of a very long word count one.
type SplitOptions struct {
	// TargetWords is the size that passages are packed up to. Default 220.
	TargetWords int
	// MaxWords is never exceeded; at least TargetWords. Default 400, or TargetWords where that is larger.
	// A line that is longer alone is cut at sentence ends, then at white space, then between runes.
	MaxWords int
}

func (o SplitOptions) withDefaults() (SplitOptions, error) {
	if o.TargetWords < 0 || o.MaxWords < 0 {
		return o, fmt.Errorf("index: TargetWords (%d) and MaxWords (%d) must not be negative", o.TargetWords, o.MaxWords)
	}
	if o.TargetWords == 0 && o.MaxWords == 0 {
		o.TargetWords = 220
	}
	if o.TargetWords == 0 {
		o.TargetWords = min(220, o.MaxWords)
	}
	if o.MaxWords == 0 {
		o.MaxWords = max(400, o.TargetWords)
	}
	if o.MaxWords < o.TargetWords {
		return o, fmt.Errorf("index: MaxWords (%d) is below TargetWords (%d)", o.MaxWords, o.TargetWords)
	}
	return o, nil
}

// target, limit and smallRest are TargetWords, MaxWords and what is so small that it joins what it follows, in thirds of words.
func (o SplitOptions) target() int    { return o.TargetWords * sizeUnit }
func (o SplitOptions) limit() int     { return o.MaxWords * sizeUnit }
func (o SplitOptions) smallRest() int { return o.target() / 4 }

func (o SplitOptions) recipe() string {
	return fmt.Sprintf("%s %d/%d", splitRecipe, o.TargetWords, o.MaxWords)
}

// Split cuts source, the text of the file name, into passages, and returns the document's title with them.
//
// Markdown (.md, .markdown, .mdx) is cut by its structure: front matter is left out, every heading starts a passage,
// lists, tables and fenced code stay whole where MaxWords allows and are cut between items, rows and lines where not; the
// section of a passage that begins inside of a table ends with the names of its columns.
// Other files are cut between paragraphs. What belongs with the paragraph before stays with it where MaxWords allows: what
// that one announces with a colon, in files without headings also what begins with a word that refers back ([text.GoesOn]),
// and the small rest of a line that is cut. Passages are in order and do not overlap; together they cover every line that is
// not blank. A passage's ends are line ends unless a single line is larger than MaxWords. Passages have no Root.
// The options' zero values mean their defaults; an invalid combination is an error.
func Split(name, source string, opts SplitOptions) (title string, passages []Passage, err error) {
	if opts, err = opts.withDefaults(); err != nil {
		return "", nil, err
	}
	doc := outline{title: path.Base(name), src: source, lines: scanLines(source)}
	if isMarkdown(name) {
		scanMarkdown(&doc)
	} else {
		scanPlain(&doc)
	}
	for _, s := range doc.sections {
		for _, p := range pack(doc.pieces(s.blocks, opts), opts) {
			passages = append(passages, doc.passage(name, joinHeading(s.heading, p.columns), p))
		}
	}
	return doc.title, passages, nil
}

func isMarkdown(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx":
		return true
	default:
		return false
	}
}

// An outline is a document cut into sections and blocks.
type outline struct {
	title    string
	src      string
	lines    []line
	sections []section
}

// A section is the blocks under one heading, with the heading.
type section struct {
	heading string // path of headings
	blocks  []block
}

// A block is a paragraph, list, table, code block or heading: the lines [from, to), of which the first and last are not blank.
type block struct {
	from, to int
	cuts     []int  // lines where it may rather be cut when it is too large
	columns  string // of a table, "Name | Default": the section of its later parts when it is cut
	glued    bool   // belongs with the block before: a heading's body, a table after "as follows:", what begins with "However"
}

func (d *outline) passage(name, heading string, p piece) Passage {
	content := d.src[p.start:p.end]
	return Passage{
		ID: PassageID(name, p.start, p.end, content), Path: name, Title: d.title, Section: heading,
		StartLine: p.firstLine + 1, EndLine: p.lastLine + 1, StartByte: p.start, EndByte: p.end,
		Content: content, Language: text.Language(content),
	}
}
