package eval

import (
	"math"
	"strings"

	"github.com/kbagent/kbagent/index/text"
)

// claimCase is one claim against one text.
type claimCase struct {
	id       string
	claim    string
	passage  string
	positive bool
	label    string // as the data have it; "" where positive says all
}

// claimSet is the cases of one set with the weights of its terms.
type claimSet struct {
	cases []claimCase
	idf   func(term string) float64
	// contradicted says that the negative cases contradict their passage, and do not only lack support by it.
	contradicted bool
}

// groundingSets are the sets of the task and how each is read.
var groundingSets = []struct {
	name string
	load func(source) (claimSet, error)
}{
	{"faithbench", loadFaithbench},
	{"wice", loadWice},
	{"scifact_nei", func(s source) (claimSet, error) { return loadScifact(s, "NEI") }},
	{"scifact_contradict", func(s source) (claimSet, error) {
		set, err := loadScifact(s, "CONTRADICT")
		set.contradicted = true
		return set, err
	}},
	{"halueval_qa", loadHaluEval},
	{"rgb_en", loadCounterfactual},
}

func loadFaithbench(s source) (claimSet, error) {
	list, err := cases[struct{ ID, Source, Summary, Worst string }](s, "faithbench", "summaries")
	var set claimSet
	for _, r := range list {
		set.cases = append(set.cases, claimCase{r.ID, r.Summary, r.Source, r.Worst == "Consistent" || r.Worst == "Benign", r.Worst})
	}
	return set.weighed(), err
}

func loadWice(s source) (claimSet, error) {
	list, err := cases[struct {
		ID, Claim, Label string
		Evidence         []string
	}](s, "wice", "claims")
	var set claimSet
	for _, r := range list {
		set.cases = append(set.cases, claimCase{r.ID, r.Claim, strings.Join(r.Evidence, "\n\n"), r.Label == "supported", r.Label})
	}
	return set.weighed(), err
}

// loadScifact reads the claims with SUPPORT and those with other, against the abstracts that they cite.
func loadScifact(s source, others ...string) (claimSet, error) {
	docs, err := corpus[struct {
		ID, Title string
		Sentences []string
	}](s, "scifact", "corpus")
	if err != nil {
		return claimSet{}, err
	}
	texts := make(map[string]string, len(docs))
	all := make([]string, len(docs))
	for i, d := range docs {
		all[i] = d.Title + "\n\n" + strings.Join(d.Sentences, " ")
		texts[d.ID] = all[i]
	}
	list, err := cases[struct {
		ID, Claim, Label string
		DocID            string `json:"doc_id"`
	}](s, "scifact", "claims")
	set := claimSet{idf: inverseFrequency(all)}
	for _, r := range list {
		passage, known := texts[r.DocID]
		wanted := r.Label == "SUPPORT"
		for _, o := range others {
			wanted = wanted || r.Label == o
		}
		if known && wanted {
			set.cases = append(set.cases, claimCase{r.ID, r.Claim, passage, r.Label == "SUPPORT", r.Label})
		}
	}
	return set, err
}

func loadHaluEval(s source) (claimSet, error) {
	list, err := cases[struct {
		ID           string
		Knowledge    string
		Right        string            `json:"right_answer"`
		Hallucinated map[string]string `json:"hallucinated"`
	}](s, "halueval_qa", "pairs")
	var set claimSet
	for _, r := range list {
		set.cases = append(set.cases, claimCase{r.ID, r.Right, r.Knowledge, true, ""})
		for _, kind := range []string{"one_turn", "multi_turn"} {
			if wrong := r.Hallucinated[kind]; wrong != "" {
				set.cases = append(set.cases, claimCase{r.ID + "/" + kind, wrong, r.Knowledge, false, kind})
			}
		}
	}
	return set.weighed(), err
}

// weighed gives a set without a corpus the weights of the texts that it has, each counted once.
func (c claimSet) weighed() claimSet {
	var texts []string
	seen := make(map[string]bool)
	for _, k := range c.cases {
		if !seen[k.passage] {
			seen[k.passage] = true
			texts = append(texts, k.passage)
		}
	}
	c.idf = inverseFrequency(texts)
	return c
}

// background is how many other texts a set is thought to stand among.
const background = 50

// inverseFrequency is the inverse document frequency of terms in texts, as package rules has it.
func inverseFrequency(texts []string) func(term string) float64 {
	df := make(map[string]int)
	for _, t := range texts {
		seen := make(map[string]bool)
		for _, term := range text.Terms(t) {
			if !seen[term] {
				seen[term] = true
				df[term]++
			}
		}
	}
	n := float64(len(texts) + background)
	return func(term string) float64 {
		d := float64(df[term])
		return math.Log1p((n - d + 0.5) / (d + 0.5))
	}
}
