package eval

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index"
)

// splitting measures how the program cuts documents: they are indexed as text files, with the default sizes.
//
//   - cut: the number of answers that no passage holds whole (without the white space around them);
//   - the figures of retrieval over the program's own passages; relevant are those that hold the whole span. Questions
//     whose answers are all cut are left out of them.
var splitting = task{
	name:  "splitting",
	about: "long documents cut into passages",
	sets:  []taskSet{{"covidqa", loadSplitting}},
}

// span is the bytes of an answer in the document of a row.
type span struct {
	doc        string // the row's id
	start, end int
}

// documents is rows by id.
type documents map[string]corpusRow

func loadDocuments(s source, set, name string) (documents, []corpusRow, error) {
	list, err := corpus[corpusRow](s, set, name)
	byID := make(documents, len(list))
	for _, r := range list {
		byID[r.ID] = r
	}
	return byID, list, err
}

// spans are the places of the answers of a question, each without the white space around it.
func (d documents) spans(q question) ([]span, error) {
	var list []span
	for id := range q.Relevant {
		row, ok := d[id]
		if !ok {
			return nil, fmt.Errorf("the corpus has no document %s of query %s", id, q.ID)
		}
		for _, a := range q.Answers {
			s, ok := a.place(row)
			if !ok {
				return nil, fmt.Errorf("an answer of query %s does not stand at its place in document %s", q.ID, id)
			}
			list = append(list, s)
		}
	}
	return list, nil
}

// place is where an answer stands. Some starts of covidqa point behind the white space that their text begins with.
func (a answer) place(row corpusRow) (span, bool) {
	start := byteOf(row.Text, a.Start)
	if start < 0 {
		return span{}, false
	}
	rest := strings.TrimLeft(row.Text[start:], spaces)
	want := strings.Trim(a.Text, spaces)
	start = len(row.Text) - len(rest)
	return span{row.ID, start, start + len(want)}, strings.HasPrefix(rest, want)
}

const spaces = " \t\r\n"

// byteOf is where the n-th character of s begins, -1 when there is none.
func byteOf(s string, n int) int {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	if n != 0 {
		return -1
	}
	return at
}

// in says whether a passage of a document holds the whole span.
func (s span) in(doc string, start, end int) bool {
	return s.doc == doc && start <= s.start && s.end <= end
}

func loadSplitting(s source) (measure, error) {
	docs, list, err := loadDocuments(s, "covidqa", "corpus")
	if err != nil {
		return nil, err
	}
	questions, err := loadQuestions(s, "covidqa", "queries")
	if err != nil {
		return nil, err
	}
	spans := make(map[string][]span, len(questions))
	for _, q := range questions {
		if spans[q.ID], err = docs.spans(q); err != nil {
			return nil, fmt.Errorf("covidqa: %w", err)
		}
	}
	return over(
		func(ctx context.Context, k *knowledge) error { return k.files(ctx, list) },
		func(ctx context.Context, k *knowledge) (Result, error) { return k.splitting(ctx, questions, spans) }), nil
}

func (k *knowledge) splitting(ctx context.Context, questions []question, spans map[string][]span) (Result, error) {
	passages, err := k.passages(ctx)
	if err != nil {
		return Result{}, err
	}
	cut, answers, count := 0, 0, 0
	relevant := make(map[string]map[string]float64, len(questions))
	for _, q := range questions {
		gains := map[string]float64{}
		for _, a := range spans[q.ID] {
			whole := 0
			for _, p := range passages[a.doc] {
				if a.in(a.doc, p.StartByte, p.EndByte) {
					gains[p.ID] = 1
					whole++
				}
			}
			answers++
			if whole == 0 {
				cut++
			}
		}
		relevant[q.ID] = gains
	}
	r, err := k.retrieval(ctx, questions, func(q question) map[string]float64 { return relevant[q.ID] }, func(h index.Hit) string { return h.ID })
	for _, list := range passages {
		count += len(list)
	}
	r.N = len(questions)
	r.Metrics["cut"], r.Metrics["answers"], r.Metrics["passages"] = float64(cut), float64(answers), float64(count)
	return r, err
}

// passages are all passages by the name of their file without its ending.
func (k *knowledge) passages(ctx context.Context) (map[string][]index.Passage, error) {
	byDoc := map[string][]index.Passage{}
	for s, err := range k.db.Index().Sources(ctx) {
		if err != nil {
			return nil, err
		}
		doc := strings.TrimSuffix(s.Path, filepath.Ext(s.Path))
		byDoc[doc] = append(byDoc[doc], s.Passages...)
	}
	return byDoc, nil
}
