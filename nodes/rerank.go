package nodes

import (
	"cmp"
	"context"
	"slices"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// Reranker says how well each passage serves what is looked for. Implementations are safe for concurrent use.
type Reranker interface {
	// Rerank returns a score from 0 to 1 for each item, in their order.
	Rerank(ctx context.Context, q RerankRequest) ([]float64, error)
}

// RerankRequest is what a re-ranker sees.
type RerankRequest struct {
	Query  string
	Claims []string // statements that lack support, the worst first; may be empty
	Items  []state.Evidence
}

// Limits of the node rerank.
const (
	rerankPool = 30 // passages that are ordered anew, at most
	rerankKeep = 8  // passages that the next answer is written from, at most
)

// Rerank is the node rerank: it corrects an answer without another search. All passages that the run has found, also
// those that grading had removed, are scored by the question and by the claims that lack support; those of at least
// EvidenceMinScore, the best 8 of them, are the context of the next answer. When none would be left, the context stays.
func (n *Nodes) Rerank() graph.NodeFunc[state.AgentState, state.Update] {
	return n.run(NameRerank, func(ctx context.Context, t *turn) error {
		items := Pool(t.state)
		request := RerankRequest{Query: t.state.Query(), Claims: t.doubted(), Items: items}
		scores, by, err := play(ctx, t, RoleReranker, n.reranker, func(r Reranker) ([]float64, error) { return rerankScores(ctx, r, request) })
		if err != nil {
			return err
		}
		kept := t.reordered(items, scores)
		if len(kept) > 0 {
			t.update.Reranked = &kept
		}
		order := make([]string, len(kept))
		for i, item := range kept {
			order[i] = item.ID
		}
		return t.audit(ctx, AuditRerank, by.into(details{
			"items": len(items), "from_quarantine": len(items) - len(t.state.Context), "kept": len(kept), "order": order,
		}, sourceLexical))
	})
}

// doubted is the targets of the correction that are claims.
func (t *turn) doubted() []string {
	return slices.DeleteFunc(slices.Clone(t.state.Targets), func(s string) bool { return s == t.state.Query() })
}

// Pool is the passages that rerank orders: all that the run has found, the context first, then those that were put away, the
// best first; at most 30.
func Pool(s state.AgentState) []state.Evidence {
	items, seen := []state.Evidence{}, map[string]bool{}
	add := func(item state.Evidence) {
		if !seen[item.ID] && len(items) < rerankPool {
			seen[item.ID] = true
			items = append(items, item)
		}
	}
	for _, item := range s.Context {
		add(item)
	}
	away := slices.Clone(s.Quarantined)
	slices.SortStableFunc(away, func(a, b state.Quarantine) int { return cmp.Compare(b.Score, a.Score) })
	for _, q := range away {
		add(q.Item)
	}
	return items
}

// reordered is the items that are good enough, best first, with their scores as grades.
func (t *turn) reordered(items []state.Evidence, scores []float64) []state.Evidence {
	kept := make([]state.Evidence, 0, len(items))
	for i, item := range items {
		if rules.AtLeast(scores[i], t.state.Settings.EvidenceMinScore) {
			item.Grade = new(scores[i])
			item.RetrievalScore, item.ScoreKind = scores[i], state.ScoreRerank
			kept = append(kept, item)
		}
	}
	slices.SortStableFunc(kept, func(a, b state.Evidence) int { return cmp.Compare(b.RetrievalScore, a.RetrievalScore) })
	return kept[:min(len(kept), rerankKeep, t.state.Settings.MaxContextItems)]
}
