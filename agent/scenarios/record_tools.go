package scenarios

import (
	"slices"
	"strings"

	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// toolKinds are the kinds of scores that tools give.
func toolKinds() map[string]state.ScoreKind {
	kinds := make(map[string]state.ScoreKind)
	for _, t := range append(tools.Local(nil), tools.WebSearch(nil), tools.WebFetch(nil)) {
		kinds[t.Name] = t.ScoreKind
	}
	return kinds
}

// addTools takes the results of a round.
func (t *transcript) addTools(s recordedStep) {
	round := s.update.Round
	if round == nil {
		return
	}
	found := round.Found
	byID := make(map[string]state.Evidence, len(found))
	for _, item := range found {
		byID[item.ID] = item
	}
	for _, r := range round.Records {
		if refused(r.Error) {
			continue // no tool was asked
		}
		result := ToolResult{Tool: r.Name, Note: r.Note, Error: r.Error}
		for i, id := range r.ItemIDs {
			item, ok := byID[id]
			if !round.Ranked && i < len(found) && found[i].ID == id { // the round keeps what each call found, in their order
				item, ok = found[i], true
			}
			if !ok {
				t.note("a passage that %s found is not in the scenario: the round had too many", r.Name)
				continue
			}
			item.RetrievalScore = r.Scores[i]
			result.Items = append(result.Items, t.item(r.Name, item))
		}
		if !round.Ranked {
			found = found[min(len(r.ItemIDs), len(found)):]
		}
		t.given.Tools = append(t.given.Tools, result)
	}
}

// refused says whether a call failed before its tool was asked.
func refused(failure string) bool {
	code, _, _ := strings.Cut(failure, ":")
	return slices.Contains([]tools.Code{tools.CodeUnknownTool, tools.CodeNotAllowed, tools.CodeBadArguments}, tools.Code(code))
}

// item is a piece of evidence as scenarios write it.
func (t *transcript) item(tool string, e state.Evidence) Item {
	out := Item{
		ID: e.ID, Path: e.Path, Title: e.Title, Section: e.Section, Content: e.Content, Score: e.RetrievalScore, Language: e.Language,
	}
	if e.StartLine != 1 {
		out.Line = e.StartLine
	}
	if e.EndLine != e.StartLine+strings.Count(e.Content, "\n") {
		out.EndLine = e.EndLine
	}
	if e.ScoreKind != t.kinds[tool] {
		out.Kind = string(e.ScoreKind)
	}
	return out
}
