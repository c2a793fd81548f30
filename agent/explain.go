package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// Explain tells in plain words why the run took its path: how the question was understood, what each round searched,
// found, kept and dropped with whose scores, why the search ended, and what the answer rests on. It also explains a run
// that is not finished, small talk, and a thread without a question.
//
// The text is plain: no control characters but line feeds, card numbers masked, the same for the same state. It says
// only what the state knows: a state keeps the scores of the last grading, and of earlier ones what they dropped.
func Explain(s state.AgentState) string {
	if s.Question == "" {
		return "No question was asked on this thread yet.\n"
	}
	e := explanation{s: s}
	e.question()
	for _, r := range roundsOf(s) {
		e.round(r)
	}
	e.end()
	e.answer()
	e.list("Remarks:", s.Warnings)
	e.cost()
	return mask.Cards(e.text.String())
}

// explanation is a text that grows by lines.
type explanation struct {
	s    state.AgentState
	text strings.Builder
}

func (e *explanation) line(format string, args ...any) {
	fmt.Fprintf(&e.text, format+"\n", args...)
}

// paragraph is a line behind an empty one.
func (e *explanation) paragraph(format string, args ...any) {
	e.line("\n"+format, args...)
}

func (e *explanation) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	e.paragraph("%s", title)
	for _, item := range items {
		e.line("  %s", plain(item))
	}
}

func (e *explanation) question() {
	s := e.s
	e.line("Question: %s", plain(s.Question))
	if s.ResolvedQuery != "" && s.ResolvedQuery != s.Question {
		e.line("  understood as: %s", plain(s.ResolvedQuery))
	}
	if len(s.SubQueries) > 0 {
		e.line("  in parts: %s", plain(strings.Join(s.SubQueries, " | ")))
	}
	switch s.Route {
	case state.RouteChitchat:
		e.line("  kind: small talk (%.0f %% sure), answered without looking into the documents", 100*s.RouteConfidence)
	case state.RouteSearch:
		e.line("  kind: a question to the documents%s (%.0f %% sure)", kind(s.Category), 100*s.RouteConfidence)
	default:
		e.line("  kind: not decided yet")
	}
}

func kind(category string) string {
	if category == "" || category == "other" {
		return ""
	}
	return ": " + plain(strings.ReplaceAll(category, "_", " "))
}

// explainedRound is one round of searching as the moves of the corrective machine tell it.
type explainedRound struct {
	n        int
	strategy state.Strategy
	refine   bool        // it followed a REFINE
	verdict  rules.Event // how grading ended it; "" while it is not graded
	last     bool        // the scores in the state are of this round
}

// roundsOf replays the moves of the run. Each search takes the next strategy, each retrieved ends a round of calls.
func roundsOf(s state.AgentState) []explainedRound {
	var rounds []explainedRound
	next, graded := explainedRound{}, -1
	searches := 0
	for _, move := range s.Transitions {
		switch event := rules.Event(move.Event); {
		case event == rules.EventSearch:
			if searches < len(s.AttemptedStrategies) {
				next.strategy = s.AttemptedStrategies[searches]
			}
			searches++
			next.refine = false
		case event == rules.EventReplan:
			next.refine = true
		case event == rules.EventRetrieved:
			next.n++
			rounds = append(rounds, next)
		case move.From == state.PhaseGrade && len(rounds) > 0:
			graded = len(rounds) - 1
			rounds[graded].verdict = event
		}
	}
	if graded >= 0 {
		rounds[graded].last = true
	}
	return rounds
}

func (e *explanation) round(r explainedRound) {
	what := cmp.Or(strategyWords[r.strategy], string(r.strategy))
	if r.refine {
		what += ", for what was still missing"
	}
	e.paragraph("Round %d: %s", r.n, what)
	calls := e.s.Round(r.n)
	for _, c := range calls {
		e.line("  %s", call(c))
	}
	if len(calls) == 0 {
		e.line("  there was nothing new to ask for")
	}
	switch {
	case r.last:
		e.lastGrading(r.n)
	case r.verdict != "":
		e.earlierGrading(r.n)
	default:
		e.line("  not judged yet")
		return
	}
	e.line("  Decision: %s", e.decision(r))
}

// call is one line on a tool call: what was asked, what came of it.
func call(c state.ToolRecord) string {
	asked := strings.TrimSpace(c.Name + " " + arguments(c.Args))
	if c.Error != "" {
		return plain(asked + ": failed: " + c.Error)
	}
	if len(c.ItemIDs) == 0 {
		note, _, _ := strings.Cut(strings.TrimSpace(c.Note), "\n")
		return strings.TrimSuffix(plain(asked+": no passages; "+note), ";")
	}
	found := count(len(c.ItemIDs), "passage")
	if kind := scoreWords[c.ScoreKind]; kind != "" && len(c.Scores) > 0 {
		found += fmt.Sprintf(", best %s %.2f", kind, slices.Max(c.Scores))
	}
	return plain(asked + ": " + found)
}

// arguments is the arguments of a call in words: the main one first, the others by name.
func arguments(raw json.RawMessage) string {
	var args map[string]any
	if err := json.Unmarshal(raw, &args); err != nil { // a model wrote them: show what it wrote
		return string(raw)
	}
	var parts []string
	for _, main := range []string{"query", "pattern", "path"} {
		if value, ok := args[main].(string); ok {
			parts = append(parts, "\""+value+"\"")
			delete(args, main)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, args[name]))
	}
	return strings.Join(parts, " ")
}

// lastGrading tells the scores that the state holds.
func (e *explanation) lastGrading(round int) {
	s := e.s
	if len(s.EvidenceScores) == 0 {
		e.line("  There was no passage to judge.")
		return
	}
	if rule, ok := strings.CutPrefix(s.GradeSource, "rule:"); ok {
		e.line("  Taken without judging, by the rule %s: %s", plain(rule), e.rule(rule))
		e.kept()
		return
	}
	e.line("  Judged %s, from 0 (no help) to 1 (answers the question):", cmp.Or(graderWords[s.GradeSource], "by "+plain(s.GradeSource)))
	e.kept()
	e.dropped(round)
	if v := rules.Judge(s.EvidenceScores, s.Settings); v.Kept > 0 {
		e.line("  Average of the %d kept: %.2f; %.2f is enough to answer.", v.Kept, v.Average, s.Settings.GenerateMinScore)
	}
}

func (e *explanation) kept() {
	for _, item := range e.s.Context {
		if item.Grade != nil {
			e.line("    %s  %.2f", place(item.Path, item.StartLine, item.EndLine), *item.Grade)
		}
	}
}

func (e *explanation) dropped(round int) {
	for _, q := range e.s.Quarantined {
		if q.Round == round {
			e.line("    %s  %.2f  dropped: %s", place(q.Item.Path, q.Item.StartLine, q.Item.EndLine), q.Score, plain(q.Reason))
		}
	}
}

// earlierGrading tells what is left of a grading whose scores a later one replaced.
func (e *explanation) earlierGrading(round int) {
	if slices.ContainsFunc(e.s.Quarantined, func(q state.Quarantine) bool { return q.Round == round }) {
		e.line("  Judged and dropped:")
		e.dropped(round)
	}
}

// rule is why a pre-filter rule approved, with its threshold.
func (e *explanation) rule(name string) string {
	cfg := e.s.Settings
	switch name {
	case "read_file":
		return "the round only read files that were asked for, and what is read on purpose is not judged"
	case "few_context":
		return fmt.Sprintf("%s at hand, and up to %d are few enough to use as they are", count(len(e.s.Context), "passage"), cfg.AutoApproveMaxItems)
	case "high_vector_score":
		return fmt.Sprintf("every passage comes from vector search with a similarity of at least %.2f", cfg.VectorScoreThreshold)
	default:
		return "it approves all passages at once"
	}
}

// decision is the move that followed a round.
func (e *explanation) decision(r explainedRound) string {
	switch r.verdict {
	case rules.EventSufficient:
		return "GENERATE: good enough, write the answer"
	case rules.EventMixed:
		return "REFINE: partly good; keep these passages (they are judged again) and search for what is missing"
	case rules.EventPoor:
		return "RE_RETRIEVE: nothing useful is left; search in another way"
	case rules.EventNoProgress:
		return e.wanted() + "; but another round would find the same again"
	case rules.EventCapped:
		return e.wanted() + "; but a limit of the run was reached"
	default:
		return string(r.verdict)
	}
}

// wanted is the decision that something else overruled.
func (e *explanation) wanted() string {
	if e.s.GraderAction == state.ActionReRetrieve {
		return "RE_RETRIEVE: nothing useful is left"
	}
	return fmt.Sprintf("%s: only partly good", e.s.GraderAction)
}

// end tells why the search ended, or where an unfinished run stopped.
func (e *explanation) end() {
	s := e.s
	if why := e.stop(); why != "" {
		e.paragraph("The search ended because %s.", why)
	}
	if !s.Finished() {
		e.paragraph("This run is not finished: it stopped before %s. Ask the same question again to continue it.", cmp.Or(phaseWords[s.Phase], "the phase "+string(s.Phase)))
	}
}

func (e *explanation) stop() string {
	s := e.s
	switch s.StopReason {
	case state.StopSufficient:
		return "the evidence was good enough"
	case state.StopMaxIterations:
		return fmt.Sprintf("the limit of %s was reached", count(s.Settings.MaxIterations, "round"))
	case state.StopNoProgress:
		return "another round would have found the same passages again"
	case state.StopExhausted:
		return fmt.Sprintf("every way of searching was tried (%s) and none found useful passages", join(s.AttemptedStrategies))
	case state.StopBudget:
		return "the run's allowance of model calls, tokens or time was used up"
	case state.StopChitchat, "":
		return "" // small talk has no search
	default:
		return "of " + string(s.StopReason)
	}
}

func (e *explanation) answer() {
	s := e.s
	switch {
	case !s.Finished():
	case s.Status == state.StatusAbstained:
		e.paragraph("No answer was given: %s.", e.abstained())
	case s.Route == state.RouteChitchat:
		e.paragraph("The answer is small talk and cites nothing.")
	case len(s.Citations) == 0:
		e.paragraph("The answer cites no passage.")
	default:
		e.paragraph("The answer cites:")
		for _, c := range s.Citations {
			e.line("  [%d] %s  \"%s\"", c.N, place(c.Path, c.StartLine, c.EndLine), clip(plain(c.Quote), 100))
		}
		if len(s.Context) == 0 {
			e.line("  These passages had been dropped; they are used because nothing better was found.")
		}
	}
}

// abstained is why there is no answer, as far as the state knows.
func (e *explanation) abstained() string {
	s := e.s
	strict := s.Settings.AnswerMode == state.ModeStrict
	switch {
	case len(s.Context) == 0 && len(s.Quarantined) > 0 && strict:
		return "all passages were dropped, and strict answers never use dropped ones"
	case len(s.Context) == 0 && len(s.Quarantined) > 0:
		return "no passage that was found is useful enough"
	case len(s.Context) == 0:
		return "nothing was found"
	case strict:
		return fmt.Sprintf("the evidence at hand (%s) led to no answer that cites it, and strict answers must", count(len(s.Context), "passage"))
	default:
		return fmt.Sprintf("the evidence at hand (%s) does not hold it", count(len(s.Context), "passage"))
	}
}

func (e *explanation) cost() {
	s := e.s
	if len(s.Path) > 0 {
		e.paragraph("Path: %s", strings.Join(s.Path, " → "))
	}
	u := s.Usage
	if u.LLMCalls == 0 {
		e.line("Model: not called")
		return
	}
	var by []string
	for _, node := range slices.Sorted(maps.Keys(u.ByNode)) {
		by = append(by, fmt.Sprintf("%s %d", node, u.ByNode[node]))
	}
	e.line("Model: %s (%s), %s (%d read, %d written)", count(u.LLMCalls, "call"), strings.Join(by, ", "), count(u.TotalTokens, "token"), u.PromptTokens, u.CompletionTokens)
}

var strategyWords = map[state.Strategy]string{
	state.StrategyHybrid:     "search by words and by meaning (hybrid)",
	state.StrategyVector:     "search by meaning (vector)",
	state.StrategyKeyword:    "search by words (keyword)",
	state.StrategyExpanded:   "search by words and related words (expanded)",
	state.StrategyDecomposed: "one search for each part of the question (decomposed)",
	state.StrategyReadFile:   "read the files that the question names (read_file)",
}

var scoreWords = map[state.ScoreKind]string{
	state.ScoreCosine:  "similarity",
	state.ScoreBM25:    "word match",
	state.ScoreRRF:     "combined rank",
	state.ScoreRerank:  "re-ranking score",
	state.ScoreLexical: "word match",
}

var graderWords = map[string]string{
	"llm":      "by the language model",
	"lexical":  "by the words of the question, without a model",
	"fallback": "0.50 each, because the model's scores could not be read",
}

var phaseWords = map[state.Phase]string{
	state.PhaseRoute:      "understanding the question",
	state.PhaseRetrieve:   "searching",
	state.PhaseGrade:      "judging the passages",
	state.PhaseRefine:     "planning a search for what is missing",
	state.PhaseReRetrieve: "choosing another way to search",
	state.PhaseGenerate:   "writing the answer",
}

func place(path string, start, end int) string {
	return fmt.Sprintf("%s:L%d-L%d", plain(path), start, end)
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func join(list []state.Strategy) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

// plain is a text in one line, without characters that steer a terminal or turn the direction of the text.
func plain(s string) string {
	printable := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(printable), " ")
}

func clip(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
