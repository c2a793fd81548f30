package state

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// ErrUpdate reports an update that does not fit the state that it is applied to.
var ErrUpdate = errors.New("update does not fit the state")

// Apply folds an update into the next state. It is pure: it never writes memory that s or u can reach.
// It returns ErrUpdate when the update's grades do not belong to the items of the context.
func (s AgentState) Apply(u Update) (AgentState, error) {
	s.Version = Version
	if u.Begin != nil {
		s = s.begin(*u.Begin)
	}
	if u.Node != "" {
		s.Path = add(s.Path, u.Node)
	}
	s.applyPlan(u)
	if u.Round != nil {
		s.applyRound(*u.Round)
	}
	if u.Grading != nil {
		if err := s.applyGrading(*u.Grading); err != nil {
			return s, err
		}
	}
	s.Transitions = add(s.Transitions, u.Transitions...)
	if n := len(u.Transitions); n > 0 {
		s.Phase = u.Transitions[n-1].To
	}
	set(&s.StopReason, u.StopReason)
	for _, w := range u.Warnings {
		if !slices.Contains(s.Warnings, w) {
			s.Warnings = add(s.Warnings, w)
		}
	}
	s.Usage = s.Usage.Plus(u.Usage)
	s.Elapsed += u.Elapsed
	set(&s.Topic, u.Topic)
	s.applyChecks(u)
	if u.Decided != nil {
		s.applyDecided(*u.Decided)
	}
	if u.Final != nil {
		s.applyFinal(*u.Final)
	}
	return s, nil
}

// begin keeps the conversation and forgets the previous run.
func (s AgentState) begin(b Begin) AgentState {
	return AgentState{
		Version:   Version,
		Run:       b.Run,
		StartedAt: b.At,
		Settings:  b.Settings,
		Question:  b.Question,
		Phase:     PhaseRoute,

		Messages:     s.Messages,
		LastEvidence: s.LastEvidence,
		Topic:        s.Topic,
		Totals:       s.Totals,
	}
}

func (s *AgentState) applyPlan(u Update) {
	set(&s.ResolvedQuery, u.ResolvedQuery)
	set(&s.Route, u.Route)
	set(&s.RouteConfidence, u.RouteConfidence)
	set(&s.Category, u.Category)
	set(&s.SubQueries, u.SubQueries)
	set(&s.Keywords, u.Keywords)
	set(&s.PendingToolCalls, u.Calls)
	if u.Strategy != nil {
		s.Strategy = *u.Strategy
		s.AttemptedStrategies = add(s.AttemptedStrategies, *u.Strategy)
	}
}

// applyChecks takes what became of an answer.
func (s *AgentState) applyChecks(u Update) {
	if u.Draft != nil {
		s.Answer, s.Status, s.Citations, s.DraftMessage = u.Draft.Answer, u.Draft.Status, u.Draft.Citations, u.Draft.Message
		s.Verification, s.Confidence = nil, nil // they were of the answer before
	}
	if u.Refined != nil {
		s.Context = merge(nil, *u.Refined, 0) // a strip may be one that an earlier round has cut
	}
	if u.Reranked != nil {
		s.applyReranked(*u.Reranked)
	}
	if u.Attempt != nil {
		s.Attempts = add(s.Attempts, *u.Attempt)
	}
	if u.Verification != nil {
		s.Verification = u.Verification
	}
	if u.Confidence != nil {
		s.Confidence = u.Confidence
	}
	if u.Review != nil {
		s.Review = u.Review
	}
	set(&s.Decision, u.Decision)
	set(&s.Mending, u.Mending)
	if u.Targets != nil {
		s.Targets = *u.Targets
		if s.Decision == DecideSelfCorrect {
			s.Corrections++
		}
	}
}

// applyReranked takes the context in its new order.
func (s *AgentState) applyReranked(items []Evidence) {
	there := make(map[string]bool, len(items))
	for _, item := range items {
		there[item.ID] = true
	}
	kept := make([]Quarantine, 0, len(s.Quarantined))
	for _, q := range s.Quarantined {
		if !there[q.Item.ID] {
			kept = append(kept, q)
		}
	}
	for _, item := range s.Context {
		if !there[item.ID] {
			kept = append(kept, Quarantine{Item: item, Score: item.GradeOf(), Reason: "others fit better, ordered anew", Round: s.Rounds})
		}
	}
	s.Context, s.Quarantined = slices.Clone(items), kept
}

// webTool is the tool whose calls make a round one of web search.
const webTool = "web_search"

func (s *AgentState) applyRound(r Round) {
	s.Rounds++
	if !s.Correcting() {
		s.Iteration++
	}
	if slices.ContainsFunc(r.Records, func(t ToolRecord) bool { return t.Name == webTool }) {
		s.WebRounds++
	}
	s.PendingToolCalls = nil
	s.ToolHistory = slices.Clone(s.ToolHistory)
	for _, record := range r.Records {
		record.Round = s.Rounds
		s.ToolHistory = append(s.ToolHistory, record)
	}
	found := r.Found
	if !r.Ranked {
		found = byRank(r)
	}
	if s.Settings.WebReplace {
		s.replaceBy(found)
	}
	s.Context = merge(s.Context, found, s.Settings.MaxContextItems)
}

// replaceBy puts the context away when the web has found something.
func (s *AgentState) replaceBy(found []Evidence) {
	if !slices.ContainsFunc(found, func(e Evidence) bool { return e.Tool == webTool }) {
		return
	}
	for _, item := range s.Context {
		s.Quarantined = add(s.Quarantined, Quarantine{Item: item, Score: item.GradeOf(), Reason: "replaced by results of the web", Round: s.Rounds})
	}
	s.Context = nil
}

// byRank is what a round found, the first of each call, then the second of each: scores of different tools cannot be
// compared, ranks can. Items that no record names follow.
func byRank(r Round) []Evidence {
	byID := make(map[string][]Evidence, len(r.Found))
	for _, item := range r.Found {
		byID[item.ID] = append(byID[item.ID], item)
	}
	ordered := make([]Evidence, 0, len(r.Found))
	for rank, more := 0, true; more; rank++ {
		more = false
		for _, record := range r.Records {
			if rank >= len(record.ItemIDs) {
				continue
			}
			more = true
			id := record.ItemIDs[rank]
			if items := byID[id]; len(items) > 0 {
				ordered, byID[id] = append(ordered, items[0]), items[1:]
			}
		}
	}
	for _, item := range r.Found {
		ordered = append(ordered, byID[item.ID]...)
		delete(byID, item.ID)
	}
	return ordered
}

// merge adds found to items: duplicates by id collapse and the best retrieval score stays. Kept items come first, by
// grade; new ones follow in their order. With limit > 0 the tail is cut; of a full context the kept items with the lowest
// grades make room, so that at least half of the places are there for new ones.
func merge(items, found []Evidence, limit int) []Evidence {
	merged := slices.Clone(items)
	at := make(map[string]int, len(items)+len(found))
	for i, item := range merged {
		at[item.ID] = i
	}
	for _, item := range found {
		i, known := at[item.ID]
		switch {
		case !known:
			at[item.ID] = len(merged)
			merged = append(merged, item)
		case item.ScoreKind == merged[i].ScoreKind && item.RetrievalScore > merged[i].RetrievalScore,
			merged[i].ScoreKind == ScoreNone && item.ScoreKind != ScoreNone:
			merged[i].RetrievalScore, merged[i].ScoreKind = item.RetrievalScore, item.ScoreKind
		}
	}
	kept, fresh := merged[:len(items)], merged[len(items):]
	slices.SortStableFunc(kept, func(a, b Evidence) int { return cmp.Compare(b.GradeOf(), a.GradeOf()) })
	if limit <= 0 || len(merged) <= limit {
		return merged
	}
	kept = kept[:min(len(kept), max(limit-len(fresh), limit/2))]
	return slices.Concat(kept, fresh[:limit-len(kept)])
}

func (s *AgentState) applyGrading(g Grading) error {
	if len(g.Items) != len(s.Context) {
		return fmt.Errorf("%w: %d grades for %d items", ErrUpdate, len(g.Items), len(s.Context))
	}
	s.GraderAction, s.GradeSource, s.Evaluation = g.Action, g.Source, g.Evaluation
	if g.Failed {
		s.GradeFailures++
	}
	kept := make([]Evidence, 0, len(s.Context))
	s.EvidenceScores = make([]float64, 0, len(s.Context))
	for i, item := range s.Context {
		grade := g.Items[i]
		if grade.ID != item.ID {
			return fmt.Errorf("%w: grade %d is for item %s, the context holds %s there", ErrUpdate, i, grade.ID, item.ID)
		}
		item.Grade = &grade.Score
		s.EvidenceScores = append(s.EvidenceScores, grade.Score)
		if grade.Reason == "" {
			kept = append(kept, item)
			continue
		}
		s.Quarantined = add(s.Quarantined, Quarantine{Item: item, Score: grade.Score, Reason: grade.Reason, Round: s.Rounds})
	}
	slices.SortStableFunc(kept, func(a, b Evidence) int { return cmp.Compare(b.GradeOf(), a.GradeOf()) })
	s.Context = kept
	return nil
}

// applyDecided puts a person's verdict in the place of the answer, also in the conversation.
func (s *AgentState) applyDecided(f Final) {
	s.Answer, s.Status, s.Citations = f.Answer, f.Status, f.Citations
	if n := len(s.Messages); n > 0 && s.Messages[n-1].Role == "assistant" {
		s.Messages = add(s.Messages[:n-1], Message{Role: "assistant", Content: f.Message})
	}
}

func (s *AgentState) applyFinal(f Final) {
	s.Answer, s.Status, s.Citations, s.DraftMessage = f.Answer, f.Status, f.Citations, ""
	s.Messages = add(s.Messages, Message{Role: "user", Content: s.Question}, Message{Role: "assistant", Content: f.Message})
	s.LastEvidence = nil
	for _, c := range f.Citations {
		s.LastEvidence = append(s.LastEvidence, c.ItemID)
	}
	s.Totals = s.Totals.Plus(s.Usage)
}

// add appends to a copy, so that no other state that shares the array sees the new elements.
func add[T any](list []T, more ...T) []T {
	if len(more) == 0 {
		return list
	}
	return append(slices.Clip(list), more...)
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
