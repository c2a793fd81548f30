package scenario_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kbagent/kbagent/scenario"
)

// must is for examples.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const orderScenarios = `scenario: a large order waits for the manager
guards: somebody spent a million without being asked
given: {limit: 100}
turns:
  - when: {order: 500}
    then: {asked: [Ship it?], outcome: checked}
  - when: {approve: true}
    then: {outcome: shipped}
---
scenario: a small order is shipped at once
guards: the manager was asked about every pencil
given: {limit: 100}
turns:
  - when: {order: 100}
    then: {outcome: shipped, asked: {length: 0}}
`

// Scenarios of a graph of one's own: read, run, and what they have covered.
func ExampleRun() {
	orders := Orders{must(NewOrders())}
	list := must(scenario.Parse[OrderGiven, OrderWhen, OrderSeen]("orders.yaml", []byte(orderScenarios)))
	report := scenario.Run(context.Background(), orders, list, scenario.Options{})
	for _, r := range report.Results {
		fmt.Println(r.Passed, r.Scenario)
	}
	fmt.Println(report.Coverage.Edges.Taken, "of", report.Coverage.Edges.Total, "edges, missing:", report.Coverage.Edges.Missing)
	// Output:
	// true a large order waits for the manager
	// true a small order is shipped at once
	// 5 of 6 edges, missing: [approve —refused→ END]
}

// The missing edge: a new scenario is proposed by playing it.
func ExamplePropose() {
	orders := Orders{must(NewOrders())}
	draft := scenario.Draft[OrderGiven, OrderWhen]{
		Name: "a refused order ends", Guards: "it was shipped all the same", Given: OrderGiven{Limit: 100},
		Turns: []scenario.DraftTurn[OrderWhen]{{When: OrderWhen{Order: 500}}, {When: OrderWhen{Approve: new(false)}}},
	}
	draft = must(scenario.Propose(context.Background(), orders, draft, nil))
	fmt.Print(string(must(draft.YAML())))
	// Output:
	// scenario: a refused order ends
	// guards: it was shipped all the same
	// given:
	//   limit: 100
	// turns:
	//   - when:
	//       order: 500
	//     then:
	//       outcome: checked
	//       asked: ["Ship it?"]
	//   - when:
	//       approve: false
	//     then:
	//       outcome: refused
}

// A change that is meant: the failing expectations become what was seen.
func ExampleRewrites() {
	orders, ctx := Orders{must(NewOrders())}, context.Background()
	text := strings.ReplaceAll(orderScenarios, "outcome: shipped, ", "outcome: sent, # a van comes\n      ")
	list := must(scenario.Parse[OrderGiven, OrderWhen, OrderSeen]("orders.yaml", []byte(text)))
	report := scenario.Run(ctx, orders, list, scenario.Options{})
	rewrites, refusals, err := scenario.Rewrites(ctx, orders, list, report, scenario.Options{})
	for _, r := range rewrites {
		for line := range strings.Lines(string(r.Diff())) {
			if strings.HasPrefix(line, "-  ") || strings.HasPrefix(line, "+  ") {
				fmt.Print(line)
			}
		}
	}
	fmt.Println(len(refusals), err)
	// Output:
	// -    then: {outcome: sent, # a van comes
	// +    then: {outcome: shipped, # a van comes
	// 0 <nil>
}

// Reports for a CI system.
func ExampleReport_JUnit() {
	orders := Orders{must(NewOrders())}
	list := must(scenario.Parse[OrderGiven, OrderWhen, OrderSeen]("orders.yaml", []byte(orderScenarios)))
	report := scenario.Run(context.Background(), orders, list, scenario.Options{})
	var xml strings.Builder
	err := report.JUnit(&xml, time.Now())
	fmt.Println(strings.Count(xml.String(), "<testcase"), "cases", err)
	// Output: 2 cases <nil>
}

// Mistakes that running does not show.
func ExampleLint() {
	file := filepath.Join(must(os.MkdirTemp("", "orders")), "orders.yaml")
	defer os.RemoveAll(filepath.Dir(file))
	text := strings.Replace(orderScenarios, "outcome: checked", "outcome: cheked", 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		panic(err)
	}
	for _, f := range must(scenario.Lint(context.Background(), Orders{must(NewOrders())}, scenario.Options{}, file)) {
		fmt.Printf("%d:%d %s: %s\n", f.Line, f.Column, f.Severity, f.Text)
	}
	// Output: 6:40 error: there is no "cheked" here; did you mean "checked"?
}

// A schema for editors, with the words of the subject and the comments of its types.
func ExampleSchema() {
	schema := must(scenario.Schema[OrderGiven, OrderWhen, OrderSeen](scenario.SchemaOptions{
		Title: "Scenarios of orders", Words: Orders{}.Words(), Describe: must(scenario.ReadComments(".")).Describe,
	}))
	fmt.Println(strings.Contains(string(schema), `"refused"`), strings.Contains(string(schema), "draft/2020-12"))
	// Output: true true
}
