package reply_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/nodes/reply"
)

// Every reply grades three items as 0.8, 0.35 and 0.1, unless a case says otherwise.
func TestScoresAreReadFrom(t *testing.T) {
	for name, raw := range map[string]string{
		"a plain list":                               "[0.8, 0.35, 0.1]",
		"a list over several lines":                  "[\n\t0.8,\n\t0.35,\n\t0.1\n]\n",
		"numbers with an exponent":                   "[8e-1, 3.5E-1, 1.0e-01]",
		"numbers with a plus or without a zero":      "[+0.8, .35, +.1]",
		"numbers in double quotes":                   `["0.8", " 0.35", "0.1 "]`,
		"numbers in single quotes":                   `['0.8', '0.35', '0.1']`,
		"per cent in quotes":                         `["80%", "35 %", "10%"]`,
		"per cent without quotes":                    `[80%, 35%, 10%]`,
		"a decimal comma in quotes":                  `["0,8", "0,35", "0,1"]`,
		"a list with a comma at its end":             "[0.8, 0.35, 0.1,]",
		"a list without commas":                      "[0.8 0.35 0.1]",
		"a list with semicolons":                     "[0.8; 0.35; 0.1]",
		"a list with comments":                       "[0.8, // answers it, [1]\n0.35, # partly\n0.1 /* no, 2012 */]",
		"a code fence":                               "```json\n[0.8, 0.35, 0.1]\n```",
		"a code fence that never ends":               "```\n[0.8, 0.35, 0.1]",
		"a code fence on one line":                   "```json [0.8, 0.35, 0.1]```",
		"prose in front":                             "I graded the passages:\n[0.8, 0.35, 0.1]",
		"prose with citations behind":                "[0.8, 0.35, 0.1]\n\nPassage [1] is best, [2, 3] are worse.",
		"prose with braces in front":                 "The template {{name}} is known. So: [0.8, 0.35, 0.1]",
		"a role in front":                            "assistant: [0.8, 0.35, 0.1]",
		"an assignment":                              "grades = [0.8, 0.35, 0.1];",
		"an XML tag":                                 "<scores>[0.8, 0.35, 0.1]</scores>",
		"a byte order mark":                          "\uFEFF[0.8, 0.35,\u200B 0.1]",
		"full-width punctuation":                     "【0.8，0.35，0.1】",
		"full-width digits":                          "[０．８、０．３５、０．１]",
		"a LaTeX box":                                `The result is $\boxed{[0.8, 0.35, 0.1]}$`,
		"a list in a list":                           "[[0.8, 0.35, 0.1]]",
		"a list of lists of one":                     "[[0.8], [0.35], [0.1]]",
		"a list of pairs with the item's number":     "[[2, 0.35], [1, 0.8], [3, 0.1]]",
		"a JSON string that holds the list":          `"[0.8, 0.35, 0.1]"`,
		"a JSON string that holds quoted numbers":    `"[\"0.8\", \"0.35\", \"0.1\"]"`,
		"an object with scores":                      `{"scores": [0.8, 0.35, 0.1]}`,
		"an object with relevanceScores":             `{"relevanceScores": [0.8, 0.35, 0.1], "reason": "as asked"}`,
		"an object with other lists":                 `{"documents": [1, 2, 3], "scores": [0.8, 0.35, 0.1]}`,
		"an object in an object":                     `{"result": {"ratings": [0.8, 0.35, 0.1]}}`,
		"an object whose list is in a string":        `{"scores": "[0.8, 0.35, 0.1]"}`,
		"an object whose last brace is missing":      `{"scores": [0.8, 0.35, 0.1]`,
		"a tool call":                                `{"name": "grade", "arguments": {"scores": [0.8, 0.35, 0.1]}}`,
		"a tool call with arguments in a string":     `{"name": "grade", "arguments": "{\"scores\": [0.8, 0.35, 0.1]}"}`,
		"a Python dictionary":                        `{'scores': [0.8, 0.35, 0.1], 'note': None}`,
		"a JavaScript object":                        `{scores: [0.8, 0.35, 0.1]}`,
		"objects in order":                           `[{"score": 0.8}, {"score": 0.35}, {"score": 0.1}]`,
		"objects with words beside the score":        `[{"relevance": "high", "score": 0.8}, {"relevance": "low", "score": 0.35}, {"relevance": "no", "score": 0.1}]`,
		"objects with a 0-based index":               `[{"index": 2, "score": 0.1}, {"index": 0, "score": 0.8}, {"index": 1, "score": 0.35}]`,
		"objects with a 1-based id":                  `[{"id": 3, "score": 0.1}, {"id": 1, "score": 0.8}, {"id": 2, "score": 0.35}]`,
		"objects with an id in words":                `[{"id": "doc_2", "score": 0.35}, {"id": "doc_1", "score": 0.8}, {"id": "doc_3", "score": 0.1}]`,
		"objects with a rank and an id":              `[{"rank": 1, "doc": 1, "score": 0.8}, {"rank": 2, "doc": 3, "score": 0.1}, {"rank": 3, "doc": 2, "score": 0.35}]`,
		"objects in a wrapper":                       `{"results": [{"index": 0, "relevance_score": 0.8}, {"index": 1, "relevance_score": 0.35}, {"index": 2, "relevance_score": 0.1}]}`,
		"objects on a line each":                     "{\"score\": 0.8}\n{\"score\": 0.35}\n{\"score\": 0.1}\n",
		"objects on a line each with an index":       "{\"index\": 2, \"score\": 0.1}\n{\"index\": 1, \"score\": 0.35}\n{\"index\": 0, \"score\": 0.8}",
		"objects of one member each":                 `[{"2": 0.35}, {"1": 0.8}, {"3": 0.1}]`,
		"an object keyed by numbers":                 `{"1": 0.8, "2": 0.35, "3": 0.1}`,
		"an object keyed by numbers from 0":          `{"2": 0.1, "1": 0.35, "0": 0.8}`,
		"an object keyed by numbers without quotes":  `{1: 0.8, 2: 0.35, 3: 0.1}`,
		"an object keyed by documents":               `{"Document 1": {"score": 0.8}, "Document 2": {"score": 0.35}, "Document 3": {"score": 0.1}}`,
		"an object keyed by numbers with an average": `{"doc1": 0.8, "doc2": 0.35, "doc3": 0.1, "average": 0.4166}`,
		"a row without brackets":                     "0.8, 0.35, 0.1",
		"a row whose opening bracket was given":      "0.8, 0.35, 0.1]",
		"a row with a label":                         "Scores: 0.8, 0.35, 0.1",
		"a row in parentheses":                       "(0.8, 0.35, 0.1)",
		"a row in a fence":                           "```\n0.8 0.35 0.1\n```",
		"one number a line":                          "0.8\n0.35\n0.1\n",
		"one number a line with a decimal comma":     "0,8\n0,35\n0,1",
		"a list with bullets":                        "- 0.8\n- 0.35\n- 0.1",
		"a numbered list":                            "1. 0.8\n2. 0.35\n3. 0.1",
		"a numbered list out of order with reasons":  "Passage 3: 0.1 - off topic\nPassage 1: 0.8 (direct)\nPassage 2: 0.35, partly",
		"a list numbered in brackets":                "[1] 0.8\n[2] 0.35\n[3] 0.1",
		"a Chinese list":                             "段落1：0.8\n段落2：0.35\n段落3：0.1",
		"a Markdown table":                           "| Doc | Score |\n|---|---|\n| 1 | 0.8 |\n| 2 | 0.35 |\n| 3 | 0.1 |",
		"a labelled row":                             "1: 0.8, 2: 0.35, 3: 0.1",
		"a thinking block in front":                  "<think>maybe [0.5, 0.5, 0.5]?</think>\n[0.8, 0.35, 0.1]",
		"a thinking block without its opening tag":   "first guess [0.5, 0.5, 0.5]\n</think>[0.8, 0.35, 0.1]",
		"YAML":                                        "scores:\n  - 0.8\n  - 0.35\n  - 0.1",
		"a Python set":                                "{0.8, 0.35, 0.1}",
		"a label with an equals sign for each":        "doc1=0.8, doc2=0.35, doc3=0.1",
		"a polite model":                              "I would like to present the scores: [0.8, 0.35, 0.1]",
		"the same list twice":                         "[0.8, 0.35, 0.1]\nAgain: [0.80, 0.350, 0.1]",
		"an example and then the answer":              "For example: [0.5, 0.5, 0.5].\nHere: [0.8, 0.35, 0.1]",
		"a draft and then the final answer":           "At first [0.5, 0.5, 0.5].\nFinal answer: [0.8, 0.35, 0.1]",
		"a draft and then the answer in a fence":      "I start from [0.5, 0.5, 0.5] and get\n```json\n[0.8, 0.35, 0.1]\n```",
		"a draft of another length and then the list": "[0.8, 0.35] – one is missing: [0.8, 0.35, 0.1]",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := reply.Scores(raw, 3)
			require.NoError(t, err)
			assert.InDeltaSlice(t, []float64{0.8, 0.35, 0.1}, got.Values, 1e-9)
			assert.Empty(t, got.Ungraded)
		})
	}
}

func TestScoresRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		raw    string
		n      int
		reason string
	}{
		"an empty reply":                             {" \n", 3, "the reply is empty"},
		"a refusal":                                  {"I cannot grade these passages.", 3, "holds no JSON array of 3 numbers"},
		"an error page":                              {"<h1>504 Gateway Time-out</h1>", 3, "holds no JSON array of 3 numbers"},
		"thinking that never ends":                   {"<think>[0.8, 0.35, 0.1] would", 3, "before the thinking did"},
		"too few scores":                             {"[0.8, 0.35]", 3, "3 scores are needed, not 2"},
		"too many scores":                            {"[0.8, 0.35, 0.1, 0.2]", 3, "3 scores are needed, not 4"},
		"an empty list":                              {"[]", 3, "are not all numbers"},
		"one number for all":                         {"The score of all is 0.42.", 3, "holds no JSON array"},
		"a scale to 10":                              {"[8, 3.5, 1]", 3, "score 1 is 8, outside of the scale from 0 to 1"},
		"a scale to 100":                             {"[80, 35, 10]", 3, "outside of the scale"},
		"one score beyond 1":                         {"[0.8, 0.35, 1.2]", 3, "score 3 is 1.2"},
		"one score below 0":                          {"[0.8, -0.35, 0.1]", 3, "score 2 is -0.35"},
		"a number that no float holds":               {"[0.8, 0.9e455455, 0.1]", 3, "score 2"},
		"less than one per cent":                     {`["0.8%", "0.3%", "0.1%"]`, 3, "score 1"},
		"words":                                      {`["high", "low", "low"]`, 3, `score 1 is "high", not a number`},
		"words without quotes":                       {`[high, low, low]`, 3, "score 1"},
		"booleans":                                   {`[true, false, true]`, 3, "score 1 is true"},
		"ranges":                                     {"[0.7-0.9, 0.3-0.4, 0.1-0.2]", 3, "score 1"},
		"fractions":                                  {"[8/10, 3/10, 1/10]", 3, "score 1"},
		"a hole in the list":                         {"[0.8, , 0.1]", 3, "holds no JSON array"},
		"a hole in a row":                            {"0.8,,0.1", 2, "holds no JSON array"},
		"an ellipsis":                                {"[0.8, ..., 0.1]", 3, "score 2"},
		"nothing but null":                           {"[null, null, null]", 3, "no item has a score"},
		"decimal commas in a list":                   {"[0,8; 0,35; 0,1]", 3, "holds no JSON array"},
		"a list that ends in a number":               {"[0.8, 0.35, 0.1", 3, "before its JSON was complete"},
		"a list that ends after a comma":             {"[0.8, 0.35, 0.1,", 3, "before its JSON was complete"},
		"an object that ends in a later string":      {`{"scores": [0.8, 0.35, 0.1], "why": "beca`, 3, "before its JSON was complete"},
		"objects whose list has no end":              {`[{"score": 0.8}, {"score": 0.35}, {"score": 0.1}`, 3, "before its JSON was complete"},
		"objects whose list has no end, for one":     {`[{"index": 0, "score": 0.8}, {"index": 1, "score": 0.35}`, 1, "before its JSON was complete"},
		"a draft and a final answer that was cut":    {"[0.5, 0.5, 0.5] Final: [0.8, 0.35", 3, "before its JSON was complete"},
		"a final answer of another length":           {"[0.5, 0.5, 0.5] Final answer: [0.8, 0.35]", 3, "3 scores are needed, not 2"},
		"two lists that differ":                      {"[0.5, 0.5, 0.5]\n[0.8, 0.35, 0.1]", 3, "several different answers"},
		"a bad answer after the good one":            {"[0.8, 0.35, 0.1]\nA wrong answer would be [0.5, 0.5, 0.5]", 3, "several different answers"},
		"an answer that was not the final one":       {"[0.8, 0.35, 0.1] and not the final answer: [0.5, 0.5, 0.5]", 3, "several different answers"},
		"two lists of scores in an object":           {`{"scores": [0.8, 0.35, 0.1], "grades": [0.5, 0.5, 0.5]}`, 3, "several different answers"},
		"nothing but an example":                     {"Give me the texts first, for example: [0.8, 0.35, 0.1]", 3, "an example only"},
		"a list that shows the form":                 {"I would reply with an array like [0.8, 0.35, 0.1]", 3, "an example only"},
		"a list numbered by rank":                    {"Rank 1: 0.8\nRank 2: 0.35\nRank 3: 0.1", 3, "holds no JSON array"},
		"a list numbered by rank with documents":     {"1. Document 2: 0.8\n2. Document 1: 0.35\n3. Document 3: 0.1", 3, "holds no JSON array"},
		"a list that is called an example":           {"[0.8, 0.35, 0.1] is only an example.", 3, "an example only"},
		"a list under a foreign key":                 {`{"weights": [0.8, 0.35, 0.1]}`, 3, "holds no list of 3 scores"},
		"a list under a foreign key in a broken one": {`{"weights": [0.8, 0.35, 0.1], oops oops}`, 3, "holds no JSON array"},
		"two scores for one item":                    {`[{"id": 1, "score": 0.8}, {"id": 1, "score": 0.8}, {"id": 2, "score": 0.1}]`, 3, "item 1 is scored twice"},
		"a key that comes twice":                     {`{"1": 0.8, "2": 0.35, "2": 0.1}`, 3, "item 2 is scored twice"},
		"an id beyond the items":                     {`[{"id": 1, "score": 0.8}, {"id": 2, "score": 0.35}, {"id": 4, "score": 0.1}]`, 3, "numbered 1 to 4"},
		"ids from 0 to n":                            {`[{"id": 0, "score": 0.8}, {"id": 2, "score": 0.35}, {"id": 3, "score": 0.1}]`, 3, "numbered 0 to 3"},
		"missing ids that leave the base open":       {`[{"id": 1, "score": 0.8}, {"id": 2, "score": 0.35}]`, 3, "3 scores are needed, not 2"},
		"fewer than half of the ids":                 {`[{"id": 0, "score": 0.8}, {"id": 1, "score": 0.35}]`, 4, "4 scores are needed, not 2"},
		"ids on some entries only":                   {`[{"id": 1, "score": 0.8}, {"score": 0.35}, {"id": 3, "score": 0.1}]`, 3, "some do not"},
		"a ranking without ids":                      {`[{"rank": 1, "score": 0.8}, {"rank": 2, "score": 0.35}, {"rank": 3, "score": 0.1}]`, 3, "ranked"},
		"two ids in one entry":                       {`[{"id": 1, "index": 2, "score": 0.8}, {"id": 2, "index": 1, "score": 0.35}]`, 2, "two numbers for its item"},
		"pairs that can be read either way":          {"[[1, 0], [0, 1]]", 2, "several different answers"},
		"a confidence instead of a score":            {`[{"confidence": 0.8}, {"confidence": 0.35}, {"confidence": 0.1}]`, 3, "no member named score"},
		"two scores in one entry":                    {`[{"score": 0.8, "relevance": 0.1}, {"score": 0.35}]`, 2, "several scores that differ"},
		"numbers and objects mixed":                  {`[0.8, {"score": 0.35}, 0.1]`, 3, "are not all numbers"},
		"a citation taken for a score":               {"Passage [1] does not help.", 1, "holds no JSON array of 1 number"},
		"an interval taken for scores":               {"I grade on [0, 1] as asked.", 2, "holds no JSON array"},
		"an entry for another item":                  {`[{"index": 7, "score": 0.8}]`, 1, "numbered 7 to 7"},
		"labelled objects out of order":              {"Doc 2: {\"score\": 0.35}\nDoc 1: {\"score\": 0.8}", 2, "needed"},
		"no items":                                   {"[]", 0, "0 scores cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := reply.Scores(c.raw, c.n)
			var parse *reply.ParseError
			require.ErrorAs(t, err, &parse, "got %v", got)
			assert.Contains(t, parse.Reason, c.reason)
			assert.Empty(t, got)
		})
	}
}

func TestAnItemWithoutAReadableScoreIsUngraded(t *testing.T) {
	for name, raw := range map[string]string{
		"null":                            "[0.8, null, 0.1]",
		"None":                            "[0.8, None, 0.1]",
		"NaN":                             "[0.8, NaN, 0.1]",
		"infinity":                        "[0.8, -Infinity, 0.1]",
		"infinity in a string":            `[0.8, "inf", 0.1]`,
		"N/A":                             `[0.8, "N/A", 0.1]`,
		"N/A without quotes":              `[0.8, N/A, 0.1]`,
		"an empty string":                 `[0.8, "", 0.1]`,
		"an object with null":             `[{"score": 0.8}, {"score": null}, {"score": 0.1}]`,
		"an object that is missing":       `[{"index": 0, "score": 0.8}, {"index": 2, "score": 0.1}]`,
		"a 1-based entry that is missing": `{"3": 0.1, "1": 0.8}`,
		"a line with N/A":                 "1. 0.8\n2. N/A\n3. 0.1",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := reply.Scores(raw, 3)
			require.NoError(t, err)
			assert.Equal(t, reply.Ratings{Values: []float64{0.8, reply.UngradedValue, 0.1}, Ungraded: []int{1}}, got)
		})
	}
}

func TestNoiseAroundTheRangeIsClamped(t *testing.T) {
	got, err := reply.Scores("[1.0000009, -0.000001, -0.0, 1.000001]", 4)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 0, 0, 1}, got.Values)

	_, err = reply.Scores("[1.000002, 0, 0, 0]", 4)
	assert.ErrorContains(t, err, "outside of the scale")
}

func TestOneItemTakesOneScore(t *testing.T) {
	for name, raw := range map[string]string{
		"a list":                        "[1]",
		"a list on its own line":        "Here it is:\n[1]\nIt answers the question.",
		"a number":                      "1.0",
		"a number with a label":         "Score: 1",
		"an object":                     `{"score": 1}`,
		"an object in a list":           `[{"index": 0, "score": 1}]`,
		"an object in a wrapper":        `{"results": [{"doc": 1, "score": 1}]}`,
		"an object in a list in a list": `[{"scores": [1]}]`,
		"a list of lists":               "[[1]]",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := reply.Scores(raw, 1)
			require.NoError(t, err)
			assert.Equal(t, []float64{1}, got.Values)
		})
	}
}
