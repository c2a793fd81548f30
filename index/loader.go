package index

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
)

// ErrSkip is in the chain of a Loader's error about a file that is none of the index's business, a program or a picture
// under a text's name for instance: it counts as skipped, not as failed.
var ErrSkip = errors.New("skipped")

// A Loader turns the bytes of files into text. Package load has the one that knows the usual formats. Its methods are called
// concurrently.
type Loader interface {
	// Recipe names the way in which files of this name become text, with its version and settings. Another recipe than the
	// one that a file was indexed with makes Update load it again. It is "" for a name that a folder's walk leaves out;
	// such a file is loaded when it is named itself.
	Recipe(name string) string
	// Load returns the text of a file. name is its path in its root, with forward slashes; data is all of it, and is not
	// kept. An error with ErrSkip in its chain skips the file, one of ctx or of its deadline leaves what the index holds
	// of it; after any other one the file counts as failed and leaves the index.
	Load(ctx context.Context, name string, data []byte) (Loaded, error)
}

// Loaded is a file as text. Passages are slices of Text, citations count its lines, and searches find it, so that a
// converted file is cited by the lines of the text that it was converted to ([Index.Text] returns it).
type Loaded struct {
	Text string // valid UTF-8
	// Title is the document's. Default "": what Text says by itself, else the file's name.
	Title string
	// Markdown says that the structure of Text is to be found by the rules of Markdown; Marks are not looked at then.
	Markdown bool
	// Marks are the structure of a text that is no Markdown, in order of Line.
	Marks []Mark
}

// A Mark says that a part of a text begins at a line.
type Mark struct {
	Line int // 1-based
	// Level is that of a heading, from 1: a section begins here, inside of the last one of a lower level. Passages never
	// reach from one section into another. Level 0 is a block that is kept whole where MaxWords allows, a function for
	// instance; small ones are packed together.
	Level int
	// Title is the heading, or the name of the block; "" for a block without one. It becomes part of Passage.Section.
	Title string
}

// A contentError is a loader's, about what a file holds.
type contentError struct{ error }

func (e contentError) Unwrap() []error { return []error{e.error, errUnsuitable} }

// recipe is what the file at path would be indexed with now.
func (o Options) recipe(path string) string {
	if o.Loader == nil {
		return o.Split.recipe()
	}
	return o.Split.recipe() + " " + o.Loader.Recipe(filepath.ToSlash(path))
}

// walks reports whether a folder's walk takes a file of this name.
func (o Options) walks(path string) bool {
	if o.Loader != nil {
		return o.Loader.Recipe(filepath.ToSlash(path)) != ""
	}
	return readExtensions[strings.ToLower(filepath.Ext(path))]
}

// load turns the bytes of a file into text.
func (o Options) load(ctx context.Context, name string, data []byte) (Loaded, error) {
	if o.Loader == nil {
		return Loaded{Text: string(data), Markdown: isMarkdown(name)}, checkText(data)
	}
	loaded, err := o.Loader.Load(ctx, name, data)
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Loaded{}, err
	default:
		return Loaded{}, contentError{err}
	}
	if err := checkText([]byte(loaded.Text)); err != nil {
		return Loaded{}, err
	}
	if int64(len(loaded.Text)) > o.MaxFileBytes {
		return Loaded{}, unsuitable("its text has %d bytes, more than the limit of %d", len(loaded.Text), o.MaxFileBytes)
	}
	return loaded, nil
}
