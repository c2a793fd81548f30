package eval

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/index"
)

// studySet is the questions of a data set and its knowledge base.
type studySet struct {
	name      string
	corpus    []index.Record
	questions []studyQuestion
	decoys    []string // right answers of all questions: wrong ones to any other
}

// studyQuestion is one question with what is true.
type studyQuestion struct {
	id      string
	text    string
	gold    string   // the path of the passage that answers it; "" when nothing does
	answers []string // the right answers; none when nothing in the knowledge base answers
	hidden  string   // the path of a passage that is taken out of the knowledge base; "" for none
}

func (q studyQuestion) answerable() bool { return q.gold != "" }

var studyLoaders = []struct {
	name string
	load func(source) (studySet, error)
}{
	{"xquad_en", loadStudyXQuAD},
	{"clapnq", loadStudyClapNQ},
}

// studySets reads the sets that cfg asks for.
func studySets(cfg StudyConfig) ([]studySet, error) {
	var sets []studySet
	var names []string
	for _, l := range studyLoaders {
		names = append(names, l.name)
		if cfg.Set != "" && cfg.Set != l.name {
			continue
		}
		s, err := l.load(source{cfg.Data, cfg.Part})
		if err != nil {
			return nil, err
		}
		s.name = l.name
		sets = append(sets, s)
	}
	if len(sets) == 0 {
		return nil, usagef("the study has no set %q; its sets are %s", cfg.Set, strings.Join(names, ", "))
	}
	return sets, nil
}

// loadStudyXQuAD takes the passage that answers out of the knowledge base for about half of the questions, those with
// sha256("abst"+id)[0] < 128.
func loadStudyXQuAD(s source) (studySet, error) {
	set, err := studyCorpus(s, "xquad", "corpus_en")
	if err != nil {
		return set, err
	}
	list, err := cases[struct {
		ID, Query string
		Relevant  map[string]float64
		Answers   []struct{ Text string }
	}](s, "xquad", "queries_en")
	for _, r := range list {
		var answers []string
		for _, a := range r.Answers {
			answers = append(answers, studyPlain(a.Text))
		}
		set.decoys = append(set.decoys, answers[:min(1, len(answers))]...)
		q := studyQuestion{id: r.ID, text: r.Query}
		relevant := slices.Sorted(maps.Keys(r.Relevant))
		if len(relevant) == 0 || len(answers) == 0 {
			continue // not a question of this set
		}
		if sha256.Sum256([]byte("abst" + r.ID))[0] < 128 {
			q.hidden = relevant[0]
		} else {
			q.gold, q.answers = relevant[0], answers
		}
		set.questions = append(set.questions, q)
	}
	return set, err
}

func loadStudyClapNQ(s source) (studySet, error) {
	set, err := studyCorpus(s, "clapnq", "corpus")
	if err != nil {
		return set, err
	}
	list, err := cases[struct {
		ID, Query, Passage string
		Answerable         bool
		Answers            []string
	}](s, "clapnq", "queries")
	for _, r := range list {
		q := studyQuestion{id: r.ID, text: r.Query}
		for _, a := range r.Answers {
			if a = studyPlain(a); r.Answerable && a != "" {
				q.gold, q.answers = r.Passage, append(q.answers, a)
			}
		}
		set.decoys = append(set.decoys, q.answers[:min(1, len(q.answers))]...)
		set.questions = append(set.questions, q)
	}
	return set, err
}

func studyCorpus(s source, folder, file string) (set studySet, err error) {
	docs, err := corpus[struct{ ID, Title, Text string }](s, folder, file)
	for _, d := range docs {
		set.corpus = append(set.corpus, index.Record{Path: d.ID, Title: d.Title, Text: d.Text})
	}
	return set, err
}

// sample is the questions that are asked: those with the smallest digests, in the order of the file.
func (s studySet) sample(cfg StudyConfig) []studyQuestion {
	if cfg.All || len(s.questions) <= cfg.Questions {
		return s.questions
	}
	sorted := slices.SortedFunc(slices.Values(s.questions), func(a, b studyQuestion) int { return cmp.Compare(a.order(), b.order()) })
	last := sorted[cfg.Questions-1].order()
	return slices.DeleteFunc(slices.Clone(s.questions), func(q studyQuestion) bool { return q.order() > last })
}

func (q studyQuestion) order() string {
	sum := sha256.Sum256([]byte("study" + q.id))
	return string(sum[:])
}

var studyMarks = regexp.MustCompile("[\"“”\\[\\]【】]|``|''")

// studyPlain is a text as the script writes it: on one line, and without quotation marks and brackets, by which the agent
// checks citations.
func studyPlain(s string) string {
	return strings.Join(strings.Fields(studyMarks.ReplaceAllString(s, " ")), " ")
}
