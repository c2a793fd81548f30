package eval

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/verify"
)

// counterfactual is a question with snippets that hold its answer, and the same ones with another answer in its place.
type counterfactual struct {
	ID, Query string
	Answer    []aliases
	Right     []string `json:"positive"`
	Altered   []string `json:"positive_wrong"`
}

// aliases are the ways to write one answer; the data have one text, or a list.
type aliases []string

// UnmarshalJSON reads a text or a list of texts.
func (a *aliases) UnmarshalJSON(data []byte) error {
	var one string
	if err := json.Unmarshal(data, &one); err == nil {
		*a = aliases{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(a))
}

// claim is the question with the first of its right answers: a statement to people and to words, if not to grammar.
func (c counterfactual) claim() string {
	return strings.TrimRight(strings.TrimSpace(c.Query), "?？") + " " + c.Answer[0][0]
}

// loadCounterfactuals reads the questions of rgb that have altered snippets.
func loadCounterfactuals(s source) ([]counterfactual, error) {
	list, err := cases[counterfactual](s, "rgb", "en_fact")
	for _, c := range list {
		if len(c.Answer) == 0 || len(c.Answer[0]) == 0 || len(c.Altered) != len(c.Right) {
			return nil, errors.Join(err, errors.New("rgb: question "+c.ID+" has no answer, or not one altered snippet for each"))
		}
	}
	return list, err
}

// loadCounterfactual is the claim of each question against its snippets as they are, and as they were altered.
func loadCounterfactual(s source) (claimSet, error) {
	list, err := loadCounterfactuals(s)
	var set claimSet
	for _, c := range list {
		for i := range c.Right {
			id := c.ID + " " + strconv.Itoa(i)
			set.cases = append(set.cases, claimCase{id, c.claim(), c.Right[i], true, ""}, claimCase{id + " altered", c.claim(), c.Altered[i], false, ""})
		}
	}
	set = set.weighed()
	set.contradicted = true
	return set, err
}

// agreeFrom is the consistency from which two snippets count as agreeing.
const agreeFrom = 0.5

// loadConsistency is each snippet beside the next one of its question, as it is and as it was altered. Pairs of which one says
// nothing about the claim have no consistency, and are left out.
func loadConsistency(s source) (measure, error) {
	list, err := loadCounterfactuals(s)
	return func(ctx context.Context) (Result, error) {
		var all []scored
		var ids []string
		for _, c := range list {
			for i := 0; len(c.Right) > 1 && i < len(c.Right); i++ {
				next := (i + 1) % len(c.Right)
				for _, second := range []struct {
					text     string
					positive bool
				}{{c.Right[next], true}, {c.Altered[next], false}} {
					if x := consistency(c.claim(), c.Right[i], second.text); x != nil {
						all = append(all, scored{*x, second.positive})
						ids = append(ids, c.ID+" "+strconv.Itoa(i)+" "+strconv.FormatBool(second.positive))
					}
				}
			}
		}
		r := classified(all, agreeFrom, map[string]string{"score": "verify.Consistency"})
		r.Cases = scoredCases(all, ids)
		return r, ctx.Err()
	}, err
}

// consistency is that of two documents on a claim.
func consistency(claim, a, b string) *float64 {
	return verify.Consistency([]state.Claim{{Text: claim}}, []state.Evidence{{Path: "a", Content: a}, {Path: "b", Content: b}}, func(a, b string) float64 {
		x, _ := verify.Contradiction(a, b)
		return x
	})
}
