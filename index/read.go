package index

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index/text"
)

// errUnsuitable is in the chain of errors about what a file holds; other errors are about reaching it.
var errUnsuitable = errors.New("not indexed")

func unsuitable(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUnsuitable, fmt.Sprintf(format, args...))
}

// readSource reads a regular file of at most limit bytes of UTF-8 text. It never reads more than that.
func readSource(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, unsuitable("not a regular file")
	}
	if info.Size() > limit {
		return nil, unsuitable("%d bytes are more than the limit of %d", info.Size(), limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	buf := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := buf.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	if int64(buf.Len()) > limit {
		return nil, unsuitable("more than the limit of %d bytes", limit)
	}
	return buf.Bytes(), nil
}

// checkText refuses what is not UTF-8 text.
func checkText(data []byte) error {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return unsuitable("UTF-16 text: convert it to UTF-8")
	case bytes.IndexByte(data, 0) >= 0:
		return unsuitable("a binary file: it holds NUL bytes")
	case !utf8.Valid(data):
		return unsuitable("not UTF-8 text: the byte at offset %d is invalid", invalidAt(data))
	default:
		return nil
	}
}

func invalidAt(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// document splits and segments what data was loaded as.
func document(c candidate, data []byte, loaded Loaded, opts Options) Document {
	source := loaded.Text
	title, passages := splitLoaded(c.key.Path, loaded, opts.Split)
	doc := Document{Text: source, FileRecord: FileRecord{
		File: File{Path: c.key.Path, Root: c.key.Root, Title: title, Size: int64(len(source)), Lines: countLines(source), Passages: len(passages)},
		Hash: sha256.Sum256(data), Recipe: opts.recipe(c.name()), Named: c.named,
	}}
	for _, p := range passages {
		p.Root = c.key.Root
		doc.Passages = append(doc.Passages, indexed(p))
	}
	return doc
}

// indexed adds to p what makes it findable.
func indexed(p Passage) IndexedPassage {
	return IndexedPassage{Passage: p, Digest: sha256.Sum256([]byte(EmbeddedText(p))), Terms: Terms{
		Title: text.Terms(p.Title), Section: text.Terms(p.Section), Body: text.Terms(p.Content),
	}}
}

func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// reason is err in one sentence, without the path that a FileError names anyway.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return "cannot be read: " + pe.Err.Error()
	}
	return err.Error()
}
