package scenario_test

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/scenario"
)

func TestJUnitHasASuiteForEachFileAndACaseForEachScenario(t *testing.T) {
	report := scenario.Report{Results: []scenario.Result{
		{File: "a.yaml", Line: 1, Scenario: "right & good", Passed: true, ElapsedMS: 1500},
		{File: "a.yaml", Line: 9, Scenario: "wrong", ElapsedMS: 250, Mismatches: []scenario.Mismatch{
			{File: "a.yaml", Line: 12, Path: "turns[0].then.open", Want: "true", Got: "\x01<false>"},
		}},
		{File: "b.yaml", Line: 1, Scenario: "broken", Error: "given: no\nmore"},
	}}
	var out strings.Builder
	require.NoError(t, report.JUnit(&out, time.Date(2026, 5, 6, 7, 8, 9, 0, time.FixedZone("", 3600))))
	assert.Equal(t, `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="scenarios" tests="3" failures="1" errors="1" time="1.750">
  <testsuite name="a.yaml" tests="2" failures="1" errors="0" skipped="0" time="1.750" timestamp="2026-05-06T06:08:09" file="a.yaml">
    <testcase name="right &amp; good" classname="a" time="1.500" file="a.yaml" line="1"></testcase>
    <testcase name="wrong" classname="a" time="0.250" file="a.yaml" line="9">
      <failure message="1 expectation was not met: turns[0].then.open" type="mismatch">a.yaml:12: turns[0].then.open&#xA;    want true&#xA;    got  `+"\uFFFD"+`&lt;false&gt;</failure>
    </testcase>
  </testsuite>
  <testsuite name="b.yaml" tests="1" failures="0" errors="1" skipped="0" time="0.000" timestamp="2026-05-06T06:08:09" file="b.yaml">
    <testcase name="broken" classname="b" time="0.000" file="b.yaml" line="1">
      <error message="given: no" type="error">given: no&#xA;more</error>
    </testcase>
  </testsuite>
</testsuites>
`, out.String())
	require.NoError(t, xml.Unmarshal([]byte(out.String()), new(struct{})), "it is well-formed")
}

func TestJUnitOfNothingIsStillAReport(t *testing.T) {
	var out strings.Builder
	require.NoError(t, scenario.Report{}.JUnit(&out, time.Time{}))
	assert.Contains(t, out.String(), `tests="0"`)
}
