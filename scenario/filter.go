package scenario

import "regexp"

// Filter keeps the scenarios whose claim, or whose file and claim as "file: claim", the expression matches, in their order.
// A nil expression keeps all. The list stays as it is.
func Filter[G, W any](list []Scenario[G, W], expression *regexp.Regexp) []Scenario[G, W] {
	if expression == nil {
		return list
	}
	var kept []Scenario[G, W]
	for _, s := range list {
		if expression.MatchString(s.Name) || expression.MatchString(s.File+": "+s.Name) {
			kept = append(kept, s)
		}
	}
	return kept
}
