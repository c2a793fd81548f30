package scenarios

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/kbagent/kbagent/nodes"
)

// emptyLibrary is a knowledge base that holds nothing but names and counts of words.
type emptyLibrary struct {
	files       []string
	vectors     bool
	frequencies *Frequencies
}

func newEmptyLibrary(g Given) emptyLibrary {
	return emptyLibrary{files: g.Files, vectors: g.Vectors, frequencies: g.Frequencies}
}

// HasVectors implements nodes.Library.
func (l emptyLibrary) HasVectors() bool { return l.vectors }

// NamedFiles implements nodes.Library: files are named by their path or by their name.
func (l emptyLibrary) NamedFiles(_ context.Context, question string) ([]string, error) {
	var named []string
	for _, f := range l.files {
		if strings.Contains(question, f) || strings.Contains(question, path.Base(f)) {
			named = append(named, f)
		}
	}
	return named, nil
}

// DocFreq implements nodes.Library.
func (l emptyLibrary) DocFreq(_ context.Context, terms []string) (map[string]int, int, error) {
	if l.frequencies == nil {
		return nil, 0, nil
	}
	found := make(map[string]int)
	for _, term := range terms {
		if n := l.frequencies.Terms[term]; n > 0 {
			found[term] = n
		}
	}
	return found, l.frequencies.Passages, nil
}

// spy is a library that remembers what it was asked. It is safe for concurrent use.
type spy struct {
	nodes.Library
	vectors bool // of the recorded run, whatever the library has now

	mu    sync.Mutex
	files []string
	words Frequencies
}

// HasVectors implements nodes.Library.
func (s *spy) HasVectors() bool { return s.vectors }

// NamedFiles implements nodes.Library.
func (s *spy) NamedFiles(ctx context.Context, text string) ([]string, error) {
	named, err := s.Library.NamedFiles(ctx, text)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range named {
		if !slices.Contains(s.files, f) {
			s.files = append(s.files, f)
		}
	}
	return named, err
}

// DocFreq implements nodes.Library.
func (s *spy) DocFreq(ctx context.Context, terms []string) (map[string]int, int, error) {
	found, passages, err := s.Library.DocFreq(ctx, terms)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.words.Terms == nil {
		s.words.Terms = make(map[string]int)
	}
	maps.Copy(s.words.Terms, found)
	s.words.Passages = passages
	return found, passages, err
}
