package eval

import (
	"strings"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// corpusRow is a passage of any corpus: a text, or the sentences of one.
type corpusRow struct {
	ID, Title, Heading, Text string
	Sentences                []string
}

// item is the passage as evidence.
func (r corpusRow) item() state.Evidence {
	return state.Evidence{ID: r.ID, Title: r.Title, Section: r.Heading, Content: r.body()}
}

// record is the passage as the index takes it.
func (r corpusRow) record() index.Record {
	return index.Record{Path: r.ID, Title: r.Title, Section: r.Heading, Text: r.body()}
}

func (r corpusRow) body() string {
	if r.Text == "" {
		return strings.Join(r.Sentences, " ")
	}
	return r.Text
}

// base is a corpus with how common its terms are.
type base struct {
	items map[string]state.Evidence // by id
	stats rules.TermStats
}

func newBase(items []state.Evidence) base {
	b := base{make(map[string]state.Evidence, len(items)), rules.TermStats{Passages: len(items), DocFreq: make(map[string]int)}}
	for _, item := range items {
		b.items[item.ID] = item
		seen := make(map[string]bool)
		for _, term := range text.Terms(item.Title + "\n" + item.Section + "\n" + item.Content) {
			if !seen[term] {
				seen[term] = true
				b.stats.DocFreq[term]++
			}
		}
	}
	return b
}

func loadBase(s source, set, name string) (base, error) {
	list, err := corpus[corpusRow](s, set, name)
	items := make([]state.Evidence, len(list))
	for i, r := range list {
		items[i] = r.item()
	}
	return newBase(items), err
}
