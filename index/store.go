package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
)

// ErrDamaged is what a Store's errors are when what it keeps cannot be read. Nothing works until it is repaired or made
// anew, so it is no failure of a single search.
var ErrDamaged = errors.New("database file is damaged or not a kbagent database")

// A Store keeps files, passages, terms and vectors. Package indextest checks an implementation.
// All methods are safe for concurrent use; readers see each Change whole or not at all.
type Store interface {
	// Apply commits c in one transaction, or nothing of it. A Change that alters nothing leaves the version as it is.
	// The store does not keep references to c's memory.
	Apply(ctx context.Context, c Change) error
	// Version is 0 for an empty new store and grows with every Apply that commits.
	Version(ctx context.Context) (int64, error)
	// Stamp names what the store holds: two stores that hold different things, or one store before and after an Apply that
	// commits, have different stamps, also when one was made from a copy of the other. It is not empty and has no white space.
	Stamp(ctx context.Context) (string, error)
	// Roots returns the roots, sorted.
	Roots(ctx context.Context) ([]string, error)
	// Files returns every file's record, in order of Root and Path.
	Files(ctx context.Context) ([]FileRecord, error)
	// Keyword returns the k passages with the highest BM25 sum of q, best first, ties in a fixed order.
	// A term counts at most once. Terms are data, whatever characters they hold. An occurrence in the title or the section
	// counts as one in the body.
	Keyword(ctx context.Context, q KeywordQuery) ([]Match, error)
	// DocFreq returns in how many passages each term occurs, in title, section or body, and the number of passages, all
	// of one version. Terms are data, whatever characters they hold.
	DocFreq(ctx context.Context, terms []string) (freq map[string]int, passages int, err error)
	// Vocabulary returns the terms that begin with prefix and that keep accepts, with in how many passages each occurs. Passages
	// that were removed may count for some time. keep must not hold on to the term; nil accepts all. It takes time in proportion
	// to the terms that begin with prefix.
	Vocabulary(ctx context.Context, prefix string, keep func(term []byte) bool) (map[string]int, error)
	// Sources yields every file with its full text, in order of Root and Path, all of one version. It can be ranged again.
	Sources(ctx context.Context) iter.Seq2[Source, error]
	// Source returns one file as Sources yields it; found is false for a key that the store does not hold.
	Source(ctx context.Context, key FileKey) (s Source, found bool, err error)
	// Vectors returns all vectors of model that belong to a passage, in any order, with the stamp of what they are of.
	Vectors(ctx context.Context, model string) (Vectors, error)
	// Passages returns the passages with these keys; keys that are gone are left out. Keys are never used again.
	Passages(ctx context.Context, keys []int64) (map[int64]Passage, error)
	// Keys returns the keys of the passages of the files that takes takes, all of one version.
	Keys(ctx context.Context, takes func(FileKey) bool) (*KeySet, error)
	// Unembedded returns up to limit passages after the key after, in order of key, that have no vector of model.
	Unembedded(ctx context.Context, model string, after int64, limit int) ([]Unembedded, error)
	// Embedded returns those of digests that have a vector of model, whether a passage uses it or not.
	Embedded(ctx context.Context, model string, digests []Digest) (map[Digest]bool, error)
	// Notes returns all notes, in order of Root and Path.
	Notes(ctx context.Context) ([]Note, error)
	// Counts returns the sizes.
	Counts(ctx context.Context) (Counts, error)
}

// A Change is what one transaction does, in this order: remove, put, roots, notes, drop vectors, vectors, prune.
type Change struct {
	Remove    []FileKey  // with their passages and notes; files that are not there are no error
	Put       []Document // replaces the file of the same key; its note stays
	AddRoots  []string
	DropRoots []string // with their notes; the roots' files stay: remove them
	Notes     []Note   // replaces the note of the same key; an empty text deletes it
	Vectors   []Vector // replaces the vector of the same model and digest
	// DropVectors, when not empty, deletes the vectors of this model, before Vectors are written.
	DropVectors string
	// Prune, when not empty, deletes vectors of all models but this one and those that no passage uses.
	Prune string
}

// Empty reports whether c does nothing.
func (c Change) Empty() bool {
	return len(c.Remove)+len(c.Put)+len(c.AddRoots)+len(c.DropRoots)+len(c.Notes)+len(c.Vectors) == 0 && c.DropVectors == "" && c.Prune == ""
}

// A FileKey identifies a file.
type FileKey struct{ Root, Path string }

func compareKeys(a, b FileKey) int {
	return cmp.Or(strings.Compare(a.Root, b.Root), strings.Compare(a.Path, b.Path))
}

// A Note is a text that is kept beside a file or, with an empty Path, beside a root: the patterns of a folder, what a web
// server said about a page. No search reads it.
type Note struct {
	FileKey
	Text string
}

// A FileRecord is what the index knows of a file.
type FileRecord struct {
	File
	Hash Digest // of the file's bytes
	// Recipe names the way the file was split and segmented; another recipe makes Update index it anew.
	Recipe string
	// Named is set for a file that was named itself, so that it stays although no folder's walk would find it.
	Named bool
}

// A Document is a file to store. Text is all of it; Passages are in order, do not overlap and hold exact slices of Text.
type Document struct {
	FileRecord
	Text     string
	Passages []IndexedPassage
}

// Check refuses passages that are not in order, separate, exact slices of the text. Stores check what they are given.
func (d Document) Check() error {
	if d.Size != int64(len(d.Text)) {
		return fmt.Errorf("%s: size %d, but the text has %d bytes", d.Path, d.Size, len(d.Text))
	}
	end := 0
	for _, p := range d.Passages {
		if p.StartByte < end || p.EndByte < p.StartByte || p.EndByte > len(d.Text) || d.Text[p.StartByte:p.EndByte] != p.Content {
			return fmt.Errorf("%s: the passage at bytes %d to %d is not a slice of the text after byte %d", d.Path, p.StartByte, p.EndByte, end)
		}
		end = p.EndByte
	}
	return nil
}

// An IndexedPassage is a passage with what makes it findable.
type IndexedPassage struct {
	Passage
	Terms  Terms
	Digest Digest // of EmbeddedText: passages of one digest share one vector
}

// Terms are a passage's words as text.Terms gives them: no white space, never empty, in order, repeated as often as they occur.
type Terms struct{ Title, Section, Body []string }

// A KeywordQuery asks for the K best passages for Terms.
type KeywordQuery struct {
	Terms []string
	Half  []string // further terms, which count half; none of Terms
	// Alike are terms that stand for one word each; none of the others.
	Alike []Alike
	// All are terms, given above too, that a passage must hold each.
	All []string
	K   int
	// Within is where the K best are looked for; nil for all passages. How rare a term is is that of all passages.
	Within *KeySet
}

// Alike are several terms that stand for one word: each counts Weight times what a term does that is as common as all of them
// together.
type Alike struct {
	Terms  []string
	Weight float64 // above 0
}

// A Match is a passage with its BM25 sum, above 0.
type Match struct {
	Passage Passage
	Score   float64
}

// A Source is a file with its text and its passages' places (Content left empty).
type Source struct {
	FileRecord
	Text     string
	Passages []Passage
}

// A Digest is a SHA-256.
type Digest = [sha256.Size]byte

// A Vector is the embedding of the text with this digest, of length 1.
type Vector struct {
	Model  string
	Digest Digest
	Values []float32
}

// EncodeVector is how stores keep a vector: 4 bytes a value, little-endian, whatever the machine.
func EncodeVector(values []float32) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// DecodeVector appends what EncodeVector made of a vector; bytes beyond the last whole value are left out.
func DecodeVector(to []float32, b []byte) []float32 {
	for ; len(b) >= 4; b = b[4:] {
		to = append(to, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return to
}

// Vectors is a matrix: row i is Values[i*Dim:(i+1)*Dim] and belongs to the passage Keys[i].
type Vectors struct {
	Stamp  string // as Store.Stamp
	Dim    int    // 0 when there are none
	Keys   []int64
	Values []float32
}

// An Unembedded passage waits for its vector.
type Unembedded struct {
	Key     int64
	Digest  Digest
	Passage Passage
}

// Counts are the sizes of a store.
type Counts struct {
	Files, Passages int
	Bytes           int64
	Version         int64
	Vectors         map[string]VectorCount // by model; only models that some passage has a vector of
}

// A VectorCount says how many passages have a vector of one model, and how long these are.
type VectorCount struct{ Passages, Dim int }

// EmbeddedText is what the embedder gets for p: its title and section over its content.
func EmbeddedText(p Passage) string {
	switch {
	case p.Section == "" && p.Title == "":
		return p.Content
	case p.Section == "":
		return p.Title + "\n\n" + p.Content
	default:
		return p.Title + " > " + p.Section + "\n\n" + p.Content
	}
}
