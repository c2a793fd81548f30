package index_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/text"
)

// corpus writes about size bytes of Markdown with words distributed like a language's (Zipf).
func corpus(b *testing.B, size int) (dir string, bytes int64, words []string) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 4, 20_000)
	word := func() string { return syllables(zipf.Uint64() + 20) }
	files := map[string]string{}
	for n := 0; n < size; {
		var s strings.Builder
		for section := range 12 {
			fmt.Fprintf(&s, "## Section %d %s\n\n", section, word())
			for range 120 {
				w := word()
				words = append(words, w)
				s.WriteString(w + " ")
			}
			s.WriteString("\n\n")
		}
		files[fmt.Sprintf("f%05d.md", len(files))] = s.String()
		n += s.Len()
		bytes += int64(s.Len())
	}
	return folder(b, files), bytes, words
}

// syllables spells n as a word of two syllables or more.
func syllables(n uint64) string {
	var s strings.Builder
	for ; n > 0; n /= 20 {
		s.WriteString([]string{"ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "xu", "ya", "ze", "bri", "clo", "dru"}[n%20])
	}
	return s.String()
}

// BenchmarkUpdate indexes 4 MB anew each time; its floor is reading and hashing the same files.
func BenchmarkUpdate(b *testing.B) {
	dir, bytes, _ := corpus(b, 4<<20)
	b.Run("index", func(b *testing.B) {
		b.SetBytes(bytes)
		for b.Loop() {
			b.StopTimer()
			x := newIndex(b)
			b.StartTimer()
			update(b, x, dir)
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		b.SetBytes(bytes)
		x := newIndex(b)
		update(b, x, dir)
		for b.Loop() {
			update(b, x, dir)
		}
	})
	b.Run("floor=read+sha256", func(b *testing.B) {
		b.SetBytes(bytes)
		for b.Loop() {
			files, err := filepath.Glob(filepath.Join(dir, "*.md"))
			require.NoError(b, err)
			for _, f := range files {
				data, err := os.ReadFile(f)
				require.NoError(b, err)
				sha256.Sum256(data)
			}
		}
	})
}

// BenchmarkUnchanged updates 1,000 files of 4 KB that did not change; its floor is reading and hashing them.
func BenchmarkUnchanged(b *testing.B) {
	files := map[string]string{}
	for i := range 1000 {
		var s strings.Builder
		for n := 0; s.Len() < 4<<10; n++ {
			fmt.Fprintf(&s, "%s ", syllables(uint64(20+i*7+n*n)))
		}
		files[fmt.Sprintf("%02d/f%04d.md", i%25, i)] = s.String()
	}
	dir := folder(b, files)
	x := newIndex(b)
	update(b, x, dir)
	b.Run("update", func(b *testing.B) {
		for b.Loop() {
			require.Equal(b, 1000, update(b, x, dir).Files.Unchanged)
		}
	})
	b.Run("refresh of one", func(b *testing.B) {
		file := filepath.Join(dir, "00", "f0000.md")
		for b.Loop() {
			_, err := x.Refresh(b.Context(), []string{file}, index.UpdateOptions{})
			require.NoError(b, err)
		}
	})
	b.Run("floor=read+sha256", func(b *testing.B) {
		for b.Loop() {
			paths, err := filepath.Glob(filepath.Join(dir, "*", "*.md"))
			require.NoError(b, err)
			for _, f := range paths {
				data, err := os.ReadFile(f)
				require.NoError(b, err)
				sha256.Sum256(data)
			}
		}
	})
}

// BenchmarkKeyword asks for three words; its floor is the store's query for the same terms.
func BenchmarkKeyword(b *testing.B) {
	dir, _, words := corpus(b, 4<<20)
	store := newStore(b)
	x := open(b, store, nil, index.Options{})
	update(b, x, dir)
	query := func(i int) string { return strings.Join(words[i*3%1000:i*3%1000+3], " ") }
	b.Run("index", func(b *testing.B) {
		quantiles(b, func(i int) { _ = keywordTen(b, x, query(i)) })
	})
	b.Run("floor=store", func(b *testing.B) {
		quantiles(b, func(i int) {
			_, err := store.Keyword(b.Context(), index.KeywordQuery{Terms: text.Terms(query(i)), K: 10})
			require.NoError(b, err)
		})
	})
}

func keywordTen(b *testing.B, x *index.Index, query string) []index.Hit {
	hits, err := x.Keyword(b.Context(), query, 10)
	require.NoError(b, err)
	return hits
}

// quantiles runs f b.N times and reports the median and the 99th percentile.
func quantiles(b *testing.B, f func(i int)) {
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		f(i)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkVector searches 20,000 vectors of 384 values.
func BenchmarkVector(b *testing.B) {
	e := &wordEmbedder{model: "m", dim: 384}
	x := open(b, newStore(b), e, index.Options{EmbedBatch: 1000})
	records := make([]index.Record, 20_000)
	for i := range records {
		records[i] = index.Record{Path: fmt.Sprint(i), Text: fmt.Sprintf("w%d w%d w%d", i, i%97, i%89)}
	}
	_, err := x.Put(b.Context(), "r", records)
	require.NoError(b, err)
	update(b, x)
	quantiles(b, func(i int) {
		_, err := x.Vector(b.Context(), fmt.Sprintf("w%d w%d", i%97, i%89), 10)
		require.NoError(b, err)
	})
}
