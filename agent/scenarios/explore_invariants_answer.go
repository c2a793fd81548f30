package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// citesEvidence says whether the citations of a fresh answer are passages that it could be written from, word for word.
func citesEvidence(t transition) error {
	if !ran(t, nodes.NameSynthesize) {
		return nil
	}
	from, to := t.From, t.To
	items := from.Context
	if limited(from) && len(items) == 0 && from.Settings.AnswerMode != state.ModeStrict {
		for _, q := range from.Quarantined {
			items = append(items, q.Item)
		}
	}
	for _, c := range to.Citations {
		i := slices.IndexFunc(items, func(e state.Evidence) bool { return e.ID == c.ItemID })
		switch {
		case i < 0:
			return fmt.Errorf("[%d] cites %s, which is no evidence of this answer", c.N, c.ItemID)
		case !strings.Contains(items[i].Content, c.Quote):
			return fmt.Errorf("[%d] quotes %q, which %s does not hold", c.N, c.Quote, c.ItemID)
		case !strings.Contains(to.Answer, fmt.Sprintf("[%d]", c.N)):
			return fmt.Errorf("the answer has no marker of citation %d", c.N)
		}
	}
	if strings.Contains(to.Answer, "[1]") && len(to.Citations) == 0 {
		return errors.New("a marker cites nothing")
	}
	if len(items) == 0 && to.Status != state.StatusAbstained && from.Route == state.RouteSearch && from.Settings.AnswerMode != state.ModeOpen {
		return errors.New("an answer without any evidence")
	}
	return nil
}

func citedItems(s state.AgentState) error {
	if s.Review != nil && s.Review.Status == state.ReviewCorrected {
		return nil // a person's answer
	}
	for _, c := range s.Citations {
		low := slices.ContainsFunc(s.Quarantined, func(q state.Quarantine) bool { return q.Item.ID == c.ItemID })
		kept := slices.ContainsFunc(s.Context, func(e state.Evidence) bool {
			return e.ID == c.ItemID && atLeast(e.GradeOf(), s.Settings.EvidenceMinScore)
		})
		if low && !kept && !limited(s) && len(s.Attempts) < 2 { // the best of several answers may rest on what a later round dropped
			return fmt.Errorf("%s is cited and was removed", c.ItemID)
		}
	}
	return nil
}

func abstains(s state.AgentState) error {
	if s.Route == state.RouteChitchat {
		return nil // nothing was looked for
	}
	if says := s.Answer == s.Settings.Abstention; says != (s.Status == state.StatusAbstained) || says && len(s.Citations) > 0 {
		return fmt.Errorf("%s with the answer %q and %d citations", s.Status, s.Answer, len(s.Citations))
	}
	return nil
}
