package inverted_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/index/inverted"
)

// blobs keeps a segment in memory.
type blobs map[int][]byte

func (b blobs) put(number int, data []byte) error {
	b[number] = slices.Clone(data)
	return nil
}

func (b blobs) load(_ context.Context, numbers []int) ([][]byte, error) {
	out := make([][]byte, len(numbers))
	for i, n := range numbers {
		data, ok := b[n]
		if !ok {
			return nil, fmt.Errorf("there is no blob %d", n)
		}
		out[i] = data
	}
	return out, nil
}

func (b blobs) part(t require.TestingT, dead []byte) inverted.Part {
	s, err := inverted.Open(b[inverted.HeadBlob], b[inverted.DirectoryBlob])
	require.NoError(t, err)
	return inverted.Part{Segment: s, Dead: dead, Load: b.load}
}

// A doc is a document of a corpus that is searched by brute force.
type doc struct {
	key   int64
	terms []string
}

func build(t require.TestingT, docs []doc) blobs {
	b, made := inverted.NewBuilder(), blobs{}
	for _, d := range docs {
		b.Add(d.key, d.terms)
	}
	_, err := b.Write(made.put)
	require.NoError(t, err)
	return made
}

func statsOf(docs []doc) (s inverted.Stats) {
	for _, d := range docs {
		s.Docs++
		s.Tokens += int64(len(d.terms))
	}
	return s
}

// bruteForce is BM25 by its definition, all documents looked at: the best first, of equal ones the lower key.
func bruteForce(docs []doc, q inverted.Query) (hits []inverted.Hit) {
	stats := statsOf(docs)
	counts := make([]map[string]float64, len(docs))
	holds := map[string]float64{}
	for i, d := range docs {
		counts[i] = map[string]float64{}
		for _, t := range d.terms {
			counts[i][t]++
		}
		for t := range counts[i] {
			holds[t]++
		}
	}
	for i, d := range docs {
		sum, all := 0.0, true
		for _, t := range q.Terms {
			tf, n, df := counts[i][t.Text], float64(stats.Docs), holds[t.Text]
			idf := max(math.Log((n-df+0.5)/(df+0.5)), 1e-6)
			norm := 1.2 * (1 - 0.75 + 0.75*float64(len(d.terms))*n/float64(stats.Tokens))
			sum += t.Weight * idf * tf * 2.2 / (tf + norm)
		}
		for _, t := range q.All {
			all = all && counts[i][t] > 0
		}
		if sum > 0 && all {
			hits = append(hits, inverted.Hit{Key: d.key, Score: sum})
		}
	}
	slices.SortFunc(hits, func(a, b inverted.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Key, b.Key)) })
	return hits
}

// requireSame compares a search with brute force. Documents may change places only where their sums differ by no more than
// rounding does; those with equal sums must come in order of their keys.
func requireSame(t require.TestingT, all []inverted.Hit, k int, got []inverted.Hit) {
	require.Len(t, got, min(k, len(all)))
	score := map[int64]float64{}
	for _, h := range all {
		score[h.Key] = h.Score
	}
	const rounding = 1e-10
	for i, h := range got {
		require.InDelta(t, all[i].Score, h.Score, rounding, "hit %d", i)
		require.InDelta(t, score[h.Key], h.Score, rounding, "hit %d", i)
		if score[h.Key] == all[i].Score {
			require.Equal(t, all[i].Key, h.Key, "hit %d, of equal ones", i)
		}
	}
}

// corpus has n documents of words distributed like a language's.
func corpus(random *rand.Rand, n int) []doc {
	zipf := rand.NewZipf(random, 1.2, 3, 3000)
	docs := make([]doc, n)
	key := int64(random.IntN(5) + 1)
	for i := range docs {
		docs[i].key = key
		key += 1 + int64(random.IntN(20)/19*random.IntN(9)) // mostly the next, now and then a gap
		for range 1 + random.IntN(40) {
			docs[i].terms = append(docs[i].terms, fmt.Sprintf("w%d", zipf.Uint64()))
		}
	}
	return docs
}

func randomQuery(random *rand.Rand) inverted.Query {
	terms := map[string]float64{}
	for range 1 + random.IntN(12) {
		n := random.IntN(3200)
		if random.IntN(2) == 0 {
			n = random.IntN(10) // a common one
		}
		terms[fmt.Sprintf("w%d", n)] = []float64{1, 0.5}[random.IntN(2)]
	}
	q := inverted.Query{K: 1 + random.IntN(60)}
	for _, t := range slices.Sorted(maps.Keys(terms)) {
		q.Terms = append(q.Terms, inverted.Term{Text: t, Weight: terms[t]})
		if random.IntN(20) == 0 {
			q.All = append(q.All, t)
		}
	}
	return q
}

func TestSearchFindsWhatBruteForceFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		docs := corpus(random, 1+random.IntN(800))
		if random.IntN(30) == 0 {
			docs = corpus(random, 9000) // several windows
		}
		var parts []inverted.Part
		var living []doc
		for rest := docs; len(rest) > 0; {
			n := 1 + random.IntN(len(rest))
			part, kept := partWithDead(t, random, rest[:n])
			parts, living, rest = append(parts, part), append(living, kept...), rest[n:]
		}
		random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		for range 4 {
			q := randomQuery(random)
			got, err := inverted.Search(t.Context(), parts, statsOf(living), q)
			require.NoError(t, err)
			requireSame(t, bruteForce(living, q), q.K, got)
		}
	})
}

// partWithDead makes a part, of which some documents are deleted in one case of two.
func partWithDead(t require.TestingT, random *rand.Rand, docs []doc) (p inverted.Part, living []doc) {
	var dead []byte
	share := random.IntN(2) * random.IntN(100)
	for i, d := range docs {
		if random.IntN(100) < share {
			dead, _ = inverted.SetDead(dead, i)
		} else {
			living = append(living, d)
		}
	}
	return build(t, docs).part(t, dead), living
}

func TestMergedSegmentsAnswerAsTheirDocumentsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		docs := corpus(random, 2+random.IntN(600))
		half := 1 + random.IntN(len(docs)-1)
		a, living := partWithDead(t, random, docs[:half])
		b, more := partWithDead(t, random, docs[half:])
		living = append(living, more...)
		made := blobs{}
		meta, err := inverted.Merge(t.Context(), []inverted.Part{a, b}, made.put)
		require.NoError(t, err)
		if len(living) == 0 {
			require.Empty(t, made)
			return
		}
		stats := statsOf(living)
		require.Equal(t, inverted.Meta{First: living[0].key, Last: living[len(living)-1].key, Docs: stats.Docs, Tokens: stats.Tokens}, meta)
		require.Equal(t, build(t, living), made, "a merge writes what its documents at once would have become")
		q := randomQuery(random)
		got, err := inverted.Search(t.Context(), []inverted.Part{made.part(t, nil)}, stats, q)
		require.NoError(t, err)
		requireSame(t, bruteForce(living, q), q.K, got)
	})
}

func TestDocFreqLeavesDeletedDocumentsOut(t *testing.T) {
	docs := []doc{{1, []string{"a", "a", "b"}}, {2, []string{"a"}}, {9, []string{"b"}}}
	dead, isNew := inverted.SetDead(nil, 1)
	require.True(t, isNew)
	freq, err := inverted.DocFreq(t.Context(), []inverted.Part{build(t, docs[:2]).part(t, dead), build(t, docs[2:]).part(t, nil)}, []string{"a", "b", "c"})
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2, 0}, freq)
	_, isNew = inverted.SetDead(dead, 1)
	assert.False(t, isNew)
}

func TestKeysAndOrdinalsBelongTogether(t *testing.T) {
	docs := corpus(rand.New(rand.NewPCG(3, 3)), 500)
	s := build(t, docs).part(t, nil)
	held := map[int64]bool{}
	for i, d := range docs {
		held[d.key] = true
		assert.Equal(t, d.key, s.Key(i))
		assert.Equal(t, len(d.terms), s.Length(i))
		ordinal, found := s.Ordinal(d.key)
		assert.True(t, found)
		assert.Equal(t, i, ordinal)
	}
	for key := range docs[len(docs)-1].key + 5 {
		_, found := s.Ordinal(key)
		assert.Equal(t, held[key], found, "key %d", key)
	}
}

func TestLongAndStrangeTermsAreFoundAgain(t *testing.T) {
	long := make([]string, 70_000) // more than two bytes count
	for i := range long {
		long[i] = "again"
	}
	odd := []string{"", "\x00", "\xff\xfe", "数据", "a", "ab", "abc", "zzzz", "🙂"}
	p := build(t, []doc{{5, odd}, {6, long}}).part(t, nil)
	freq, err := inverted.DocFreq(t.Context(), []inverted.Part{p}, append(odd, "again", "\x01", "b", "~~~~~"))
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0}, freq)
	assert.Equal(t, 70_000, p.Length(1))
}

func TestDamagedBlobsAreErrorsAndNeverPanic(t *testing.T) {
	docs := corpus(rand.New(rand.NewPCG(4, 4)), 3000)
	whole := build(t, docs)
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		broken := blobs{}
		for n, data := range whole {
			data = slices.Clone(data)
			switch random.IntN(4) {
			case 0:
				data[random.IntN(len(data))] ^= byte(1 + random.IntN(255))
			case 1:
				data = data[:random.IntN(len(data))]
			}
			broken[n] = data
		}
		s, err := inverted.Open(broken[inverted.HeadBlob], broken[inverted.DirectoryBlob])
		if err != nil {
			require.ErrorIs(t, err, inverted.ErrCorrupt)
			return
		}
		p := inverted.Part{Segment: s, Load: broken.load}
		for range 5 {
			_, _ = inverted.Search(t.Context(), []inverted.Part{p}, statsOf(docs), randomQuery(random)) // must come back
		}
		_, _ = inverted.Merge(t.Context(), []inverted.Part{p}, blobs{}.put)
	})
}

func TestASearchThatIsCancelledReturnsTheReason(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := build(t, []doc{{1, []string{"a"}}}).part(t, nil)
	_, err := inverted.Search(ctx, []inverted.Part{p}, inverted.Stats{Docs: 1, Tokens: 1}, inverted.Query{Terms: []inverted.Term{{Text: "a", Weight: 1}}, K: 1})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestVocabularyIsWhatBeginsWithThePrefix(t *testing.T) {
	docs := corpus(rand.New(rand.NewPCG(6, 6)), 2000)
	parts := []inverted.Part{build(t, docs[:700]).part(t, nil), build(t, docs[700:]).part(t, nil)}
	for _, prefix := range []string{"", "w", "w1", "w12", "w2999", "x", "a"} {
		want := map[string]int{}
		for _, d := range docs {
			for _, term := range slices.Compact(slices.Sorted(slices.Values(d.terms))) {
				if strings.HasPrefix(term, prefix) && strings.HasSuffix(term, "7") {
					want[term]++
				}
			}
		}
		got, err := inverted.Vocabulary(t.Context(), parts, prefix, func(term []byte) bool { return term[len(term)-1] == '7' })
		require.NoError(t, err)
		assert.Equal(t, want, got, prefix)
	}
}

func TestTermsOfOneClassAreAsCommonAsAllOfThem(t *testing.T) {
	docs := []doc{{1, []string{"a"}}, {2, []string{"b"}}, {3, []string{"b"}}, {4, []string{"c"}}, {5, []string{"c"}}, {6, []string{"c"}}, {7, []string{"d"}}, {8, []string{"d"}}}
	parts := []inverted.Part{build(t, docs).part(t, nil)}
	score := func(terms ...inverted.Term) map[int64]float64 {
		hits, err := inverted.Search(t.Context(), parts, statsOf(docs), inverted.Query{Terms: terms, K: 10})
		require.NoError(t, err)
		all := map[int64]float64{}
		for _, h := range hits {
			all[h.Key] = h.Score
		}
		return all
	}
	got := score(inverted.Term{Text: "a", Weight: 1, Class: 1}, inverted.Term{Text: "b", Weight: 1, Class: 1}, inverted.Term{Text: "d", Weight: 1})
	want := score(inverted.Term{Text: "c", Weight: 1})[4] // three passages, as a and b together
	assert.InDelta(t, want, got[1], 1e-9)
	assert.InDelta(t, want, got[2], 1e-9)
	assert.InDelta(t, score(inverted.Term{Text: "d", Weight: 1})[7], got[7], 1e-9, "no class, no change")
}
