package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
	"github.com/kbagent/kbagent/verify"
)

// unreadable stands for a reply that a node could not read: the model was shown its error and asked once more.
const unreadable = "(a reply that could not be read)"

// addModel takes the replies that a node got. Their words are not stored; what they led to is.
func (t *transcript) addModel(s recordedStep) error {
	made := s.update.Usage.LLMCalls
	var want []ModelReply
	var err error
	switch s.node {
	case nodes.NameAnalyzeAndRoute:
		want, err = routerReplies(s)
	case nodes.NamePlan:
		want, err = plannerReplies(s)
	case nodes.NameGradeEvidence:
		want, err = graderReplies(s)
	case nodes.NameSynthesize:
		want = synthesizerReplies(s)
	case nodes.NameRerank:
		want, err = rerankerReplies(s)
	case nodes.NameVerifyAnswer:
		want, err = verifierReplies(s)
	}
	if err != nil {
		return err
	}
	if made == 0 {
		want = t.fromCache(s, want)
	}
	want = padded(want, made)
	if limit := s.before.Settings.MaxLLMTokens; limit > 0 {
		shareTokens(want, s.update.Usage.TotalTokens)
	}
	for _, reply := range want {
		t.given.Model, t.made = append(t.given.Model, reply), append(t.made, made > 0)
	}
	return nil
}

// fromCache is the reply of a grader that was not asked, because the same passages had been graded for the same question
// before; nothing where no model had its hand in it.
func (t *transcript) fromCache(s recordedStep, want []ModelReply) []ModelReply {
	if g := s.update.Grading; g != nil && g.Source == "llm" {
		t.note("grades came from the cache; the scenario asks the model for them, and counts a call more")
		t.uncounted = true
		return want
	}
	return nil
}

// padded puts replies that could not be read in front of the last one, until there are as many as calls were made.
func padded(want []ModelReply, made int) []ModelReply {
	for len(want) > 0 && len(want) < made {
		last := want[len(want)-1]
		want = slices.Insert(want, len(want)-1, ModelReply{Role: last.Role, Reply: unreadable})
	}
	return want
}

// shareTokens gives each call its part of the tokens of a node.
func shareTokens(list []ModelReply, total int) {
	for i := range list {
		list[i].Tokens = max(total/len(list), 1)
		if i == len(list)-1 {
			list[i].Tokens = max(total-(len(list)-1)*(total/len(list)), 1)
		}
	}
}

// failure is why the model did not play a role, from the warning that says so.
func failure(u state.Update, role string) (reason string, failed bool) {
	for _, w := range u.Warnings {
		if rest, ok := strings.CutPrefix(w, "the model failed as "+role+" ("); ok {
			return strings.TrimSuffix(rest, "); the built-in one did the work"), true
		}
	}
	return "", false
}

// said is a reply that holds a value as JSON.
func said(role string, v any) (ModelReply, error) {
	data, err := json.Marshal(v)
	return ModelReply{Role: role, Reply: string(data)}, err
}

// playedBy is the reply of a role: what made says, or its failure.
func playedBy(s recordedStep, role string, v any) ([]ModelReply, error) {
	if reason, failed := failure(s.update, role); failed {
		return []ModelReply{{Role: role, Error: reason}}, nil
	}
	r, err := said(role, v)
	return []ModelReply{r}, err
}

func routerReplies(s recordedStep) ([]ModelReply, error) {
	u := s.update
	if u.Route == nil {
		return nil, nil // another strategy for a question that is understood
	}
	return playedBy(s, nodes.RoleRouter, map[string]any{
		"route": u.Route, "confidence": u.RouteConfidence, "category": u.Category, "query": u.ResolvedQuery,
		"sub_queries": list(u.SubQueries), "keywords": list(u.Keywords),
	})
}

func list(l *[]string) []string {
	if l == nil || *l == nil {
		return []string{}
	}
	return *l
}

// plannerReplies are the calls that the planner chose, behind the reply of the expander where one was asked. Where one call
// was made for an expanded question, it is the expander's: it comes first. Calls that the node adds by itself are left out.
func plannerReplies(s recordedStep) ([]ModelReply, error) {
	if s.before.Correcting() || s.update.Usage.LLMCalls == 0 {
		return nil, nil
	}
	var planned []state.ToolCall // a plan without calls is stored as none
	if s.update.Calls != nil {
		planned = *s.update.Calls
	}
	var all []ModelReply
	if s.before.Strategy == state.StrategyExpanded && s.before.Phase != state.PhaseRefine {
		expander, err := playedBy(s, nodes.RoleExpander, expansionOf(s, planned))
		if err != nil || s.update.Usage.LLMCalls == 1 {
			return expander, err
		}
		all = expander
	}
	if reason, failed := failure(s.update, nodes.RolePlanner); failed {
		return append(all, ModelReply{Role: nodes.RolePlanner, Error: reason}), nil
	}
	reply := ModelReply{Role: nodes.RolePlanner}
	if h := s.before.ToolHistory; len(planned) == 0 && len(h) > 0 { // the planner only repeated what was called before
		last := h[len(h)-1]
		planned = []state.ToolCall{{Name: last.Name, Args: last.Args}}
	}
	for _, c := range planned {
		if !slices.Contains(rules.AllowedTools(s.before.Strategy), c.Name) {
			continue
		}
		call := ModelCall{Name: c.Name}
		if err := json.Unmarshal(c.Args, &call.Args); err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", c.Name, err)
		}
		reply.Calls = append(reply.Calls, call)
	}
	return append(all, reply), nil
}

// expansionOf is the expansion that a planner without a model makes the calls of: it searches for the parts by keyword, and
// for the hypothesis by hybrid search.
func expansionOf(s recordedStep, planned []state.ToolCall) nodes.Expansion {
	out := nodes.Expansion{SubQueries: []string{}}
	for _, c := range planned {
		var args tools.SearchArgs
		if json.Unmarshal(c.Args, &args) != nil || args.Query == s.before.Query() || args.K != 0 {
			continue
		}
		switch c.Name {
		case "keyword_search":
			out.SubQueries = append(out.SubQueries, args.Query)
		case "hybrid_search":
			out.Hypothesis = args.Query
		}
	}
	return out
}

func graderReplies(s recordedStep) ([]ModelReply, error) {
	g := s.update.Grading
	switch {
	case g == nil:
		return nil, nil
	case g.Failed:
		return []ModelReply{{Role: nodes.RoleGrader, Reply: unreadable}}, nil
	}
	scores := []float64{}
	for _, item := range g.Items {
		scores = append(scores, item.Score)
	}
	return playedBy(s, nodes.RoleGrader, scores)
}

// rerankerReplies are scores for all passages that there were: those that were kept have theirs, the others none.
func rerankerReplies(s recordedStep) ([]ModelReply, error) {
	kept := make(map[string]float64)
	if s.update.Reranked != nil {
		for _, item := range *s.update.Reranked {
			kept[item.ID] = item.RetrievalScore
		}
	}
	scores := []float64{}
	for _, item := range nodes.Pool(s.before) {
		scores = append(scores, kept[item.ID])
	}
	return playedBy(s, nodes.RoleReranker, scores)
}

// cutMark is what a synthesizer puts behind an answer that was cut by a limit of its length.
const cutMark = " […]"

func synthesizerReplies(s recordedStep) []ModelReply {
	if reason, failed := failure(s.update, nodes.RoleSynthesizer); failed {
		return []ModelReply{{Role: nodes.RoleSynthesizer, Error: reason}}
	}
	final := s.update.Final
	if final == nil {
		final = s.update.Draft
	}
	if final == nil {
		return nil
	}
	reply := ModelReply{Role: nodes.RoleSynthesizer, Reply: final.Answer}
	if text, cut := strings.CutSuffix(final.Answer, cutMark); cut {
		reply.Reply, reply.Stop = text, "length"
	}
	return []ModelReply{reply}
}

// verifierReplies are verdicts for the claims in their parts.
func verifierReplies(s recordedStep) ([]ModelReply, error) {
	v := s.update.Verification
	if v == nil || v.Outcome == state.OutcomeNotVerifiable {
		return nil, nil
	}
	if v.Outcome == state.OutcomeUnknown {
		return []ModelReply{{Role: nodes.RoleVerifier, Error: v.Reason}}, nil
	}
	var all []ModelReply
	items := nodes.Written(s.before)
	done := 0
	for _, part := range verify.Parts(verify.Claims(s.before.Answer), nodes.VerifierRunes) {
		if done+len(part) > len(v.Claims) {
			return nil, fmt.Errorf("the verification judges %d claims of %d", len(v.Claims), done+len(part))
		}
		reply, err := said(nodes.RoleVerifier, verdictsOf(v.Claims[done:done+len(part)], items, v.Corrections, done == 0))
		if err != nil {
			return nil, err
		}
		all, done = append(all, reply), done+len(part)
	}
	return all, nil
}

func verdictsOf(claims []state.Claim, items []state.Evidence, corrections []string, first bool) map[string]any {
	var list []map[string]any
	for i, c := range claims {
		passage := 1 + slices.IndexFunc(items, func(e state.Evidence) bool { return e.ID == c.ItemID })
		list = append(list, map[string]any{"claim": i + 1, "verdict": c.Verdict, "passage": passage, "quote": c.Quote, "reasoning": c.Reasoning})
	}
	if !first || corrections == nil {
		corrections = []string{}
	}
	return map[string]any{"verdicts": list, "suggested_corrections": corrections}
}
