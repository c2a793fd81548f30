package rules_test

import (
	"fmt"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

func ExampleEvaluateHeuristic() {
	e := rules.EvaluateHeuristic("Python async patterns", []state.Evidence{{
		Path: "docs/async.md", Content: "Async patterns in Python use asyncio library for concurrent execution", RetrievalScore: 0.92, ScoreKind: state.ScoreCosine,
	}}, false)
	fmt.Printf("%s %.4f %s\n", e.Class, e.Score, e.Action)
	// Output: RELEVANT 0.8375 GENERATE
}

func ExampleSynonyms_Expand() {
	fmt.Println(rules.DefaultSynonyms().Expand("How do I delete a file?"))
	// Output: [delete remove drop file document record]
}

func ExampleRefine() {
	content := "Bread needs flour.\n\n- Old logs are kept for seven days.\n- The moon is far away.\n"
	items := []state.Evidence{{Path: "ops.md", Content: content, StartLine: 10, EndLine: 13, StartByte: 200, EndByte: 200 + len(content)}}
	kept, _ := rules.Refine("logs", items, rules.RefineOptions{Score: func(_, strip string) float64 {
		if len(strip) > 30 {
			return 0.9
		}
		return 0.1
	}})
	for _, item := range kept {
		fmt.Printf("%s:L%d %q\n", item.Path, item.StartLine, item.Content)
	}
	// Output: ops.md:L12 "- Old logs are kept for seven days."
}

func ExampleDecideAnswer() {
	outcome := rules.DecideAnswer(rules.Situation{
		Verification:   state.Verification{Outcome: state.OutcomeVerified, Confidence: 0.6},
		MaxCorrections: 2, Improved: true, Thresholds: rules.DefaultThresholds(),
	})
	fmt.Println(outcome.Decision, outcome.Row, outcome.Reason)
	// Output: SELF_CORRECT ungrounded verification 0.60 of 0.70
}
