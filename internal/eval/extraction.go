package eval

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// extraction measures whether the one sentence that rules.AnswerSentences finds best in the first five hits holds a gold
// answer: accuracy is the share of questions for which it does. Sentence and answer are compared as words in lower case
// without punctuation and articles.
var extraction = task{
	name:  "extraction",
	about: "the sentence that holds the answer",
	sets:  extractionTasks(),
}

// extractedSet is the passages of one set and its questions.
type extractedSet struct {
	passages  []corpusRow
	questions []question
}

// extractionSets are the sets of the task and how each is read.
var extractionSets = []struct {
	name string
	load func(source) (extractedSet, error)
}{
	{"xquad_en", loadExtractionRows},
	{"covidqa", loadExtractionWords},
}

func extractionTasks() []taskSet {
	var sets []taskSet
	for _, set := range extractionSets {
		sets = append(sets, taskSet{set.name, func(s source) (measure, error) {
			data, err := set.load(s)
			return data.measure(), err
		}})
	}
	return sets
}

// extractedFrom is how many hits the sentence is taken from.
const extractedFrom = 5

// chunkWords is the size of the passages of covidqa, which do not overlap.
const chunkWords = 200

func loadExtractionRows(s source) (extractedSet, error) {
	list, err := corpus[corpusRow](s, "xquad", "corpus_en")
	if err != nil {
		return extractedSet{}, err
	}
	questions, err := loadQuestions(s, "xquad", "queries_en")
	return extractedSet{list, questions}, err
}

// loadExtractionWords cuts the documents into passages of 200 words and keeps the questions of which a passage holds an
// answer whole.
func loadExtractionWords(s source) (extractedSet, error) {
	docs, list, err := loadDocuments(s, "covidqa", "corpus")
	if err != nil {
		return extractedSet{}, err
	}
	questions, err := loadQuestions(s, "covidqa", "queries")
	if err != nil {
		return extractedSet{}, err
	}
	var passages []corpusRow
	cuts := make(map[string][]span, len(list))
	for _, r := range list {
		cuts[r.ID] = cutWords(r, chunkWords)
		for i, c := range cuts[r.ID] {
			passages = append(passages, corpusRow{ID: fmt.Sprintf("%s#%d", r.ID, i), Title: r.Title, Text: r.Text[c.start:c.end]})
		}
	}
	var kept []question
	for _, q := range questions {
		spans, err := docs.spans(q)
		if err != nil {
			return extractedSet{}, fmt.Errorf("covidqa: %w", err)
		}
		if anyWhole(spans, cuts) {
			kept = append(kept, q)
		}
	}
	return extractedSet{passages, kept}, nil
}

func anyWhole(spans []span, cuts map[string][]span) bool {
	for _, a := range spans {
		for _, c := range cuts[a.doc] {
			if a.in(c.doc, c.start, c.end) {
				return true
			}
		}
	}
	return false
}

// cutWords are the places of n words in a row, one after the other.
func cutWords(r corpusRow, n int) []span {
	var cuts []span
	words, start, inWord := 0, -1, false
	for i, c := range r.Text + " " {
		switch {
		case !unicode.IsSpace(c):
			if start < 0 {
				start = i
			}
			inWord = true
		case inWord:
			inWord = false
			if words++; words == n {
				cuts = append(cuts, span{r.ID, start, i})
				words, start = 0, -1
			}
		}
	}
	if words > 0 {
		cuts = append(cuts, span{r.ID, start, start + len(strings.TrimRightFunc(r.Text[start:], unicode.IsSpace))})
	}
	return cuts
}

// measure takes a sentence for each question.
func (e extractedSet) measure() measure {
	return e.over(func(ctx context.Context, k *knowledge) (Result, error) {
		var out []Case
		err := e.each(ctx, k, func(q question, query string, items []state.Evidence, stats rules.TermStats) {
			best := ""
			if list := rules.AnswerSentences(query, items, stats); len(list) > 0 {
				best = sentenceOf(items, list[0])
			}
			out = append(out, Case{ID: q.ID, Values: map[string]float64{"accuracy": oneIf(holdsAny(best, q.Answers))}})
		})
		return averaged(out, map[string]string{"extractor": "rules.AnswerSentences", "hits": fmt.Sprint(extractedFrom)}), err
	})
}

// over is a measure over the passages.
func (e extractedSet) over(f func(context.Context, *knowledge) (Result, error)) measure {
	return over(func(ctx context.Context, k *knowledge) error { return k.rows(ctx, e.passages) }, f)
}

// each calls f with what is found for each question, which is given as the program understands it.
func (e extractedSet) each(ctx context.Context, k *knowledge, f func(question, string, []state.Evidence, rules.TermStats)) error {
	for _, q := range e.questions {
		d := q.understood()
		items, stats, err := k.found(ctx, d, extractedFrom)
		if err != nil {
			return err
		}
		f(q, d.Query, items, stats)
	}
	return nil
}

func sentenceOf(items []state.Evidence, s rules.Sentence) string {
	return items[s.Item].Content[s.Start:s.End]
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// holdsAny says whether a text holds one of the answers, as whole words.
func holdsAny(text string, answers []answer) bool {
	text = " " + plain(text) + " "
	for _, a := range answers {
		if want := plain(a.Text); want != "" && strings.Contains(text, " "+want+" ") {
			return true
		}
	}
	return false
}

// plain is a text in lower case without punctuation and articles, words apart by one space, as SQuAD compares answers.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) || unicode.IsSymbol(r) && r < 128 {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
	var words []string
	for _, w := range strings.Fields(s) {
		if w != "a" && w != "an" && w != "the" {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}
