package eval

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/state"
)

// abstention asks the whole agent without a model, with the settings of a fresh installation. For the questions with
// sha256("abst"+id)[0] < 128 the passage with the answer is taken out of the knowledge base first.
//
//   - accuracy: the share of questions that were treated rightly: answered with a text that holds a gold answer when the passage is
//     there, not answered when it is not;
//   - answered: the share of right answers where the passage is there; abstained: of abstentions where it is not.
var abstention = task{
	name:  "abstention",
	about: "an answer where there is one, none where there is none",
	sets:  []taskSet{{"xquad_en", loadAbstention}},
}

func loadAbstention(s source) (measure, error) {
	docs, list, err := loadDocuments(s, "xquad", "corpus_en")
	if err != nil {
		return nil, err
	}
	questions, err := loadQuestions(s, "xquad", "queries_en")
	if err != nil {
		return nil, err
	}
	for _, q := range questions {
		for id := range q.Relevant {
			if _, ok := docs[id]; !ok {
				return nil, fmt.Errorf("xquad: the corpus has no passage %s of query %s", id, q.ID)
			}
		}
	}
	return over(
		func(ctx context.Context, k *knowledge) error { return k.rows(ctx, list) },
		func(ctx context.Context, k *knowledge) (Result, error) { return k.abstention(ctx, questions, docs) }), nil
}

// removed says whether the passage of a question is taken out.
func removed(id string) bool { return sha256.Sum256([]byte("abst" + id))[0] < 128 }

func (k *knowledge) abstention(ctx context.Context, questions []question, docs documents) (Result, error) {
	a, err := k.agent()
	if err != nil {
		return Result{}, err
	}
	list := make([]Case, len(questions))
	for i, q := range questions {
		var got agent.Answer
		ask := func() error { got, err = askOnce(ctx, a, q.Query); return err }
		gone := removed(q.ID)
		if gone {
			err = k.withoutRelevant(ctx, q, docs, ask)
		} else {
			err = ask()
		}
		if err != nil {
			return Result{}, fmt.Errorf("query %s: %w", q.ID, err)
		}
		refused := got.Status == state.StatusAbstained
		c := Case{ID: q.ID, Values: map[string]float64{"accuracy": oneIf(refused), "abstained": oneIf(refused)}}
		if !gone {
			right := oneIf(!refused && holdsAny(got.Answer, q.Answers))
			c.Values = map[string]float64{"accuracy": right, "answered": right}
		}
		list[i] = c
	}
	return averaged(list, map[string]string{"agent": "no model", "settings": "default"}), nil
}

// withoutRelevant runs f while the relevant passages of a question are out of the knowledge base.
func (k *knowledge) withoutRelevant(ctx context.Context, q question, docs documents, f func() error) error {
	for id := range q.Relevant {
		inner := f
		f = func() error { return k.without(ctx, docs[id], inner) }
	}
	return f()
}

// askOnce asks a question in a conversation of its own.
func askOnce(ctx context.Context, a *agent.Agent, text string) (agent.Answer, error) {
	for event, err := range a.Ask(ctx, agent.Question{Text: text}) {
		if err != nil {
			return agent.Answer{}, err
		}
		if event.Answer != nil {
			return *event.Answer, nil
		}
	}
	return agent.Answer{}, errors.New("the agent gave no answer")
}
