package reply_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/nodes/reply"
)

func TestEverySpellingOfTheSameScoresIsReadAlike(t *testing.T) {
	for _, raw := range []string{
		"[0.9, 0.2, 0.55]",
		"```json\n[0.9, 0.2, 0.55]\n```",
		"```python\n[0.9, 0.2, 0.55]\n```",
		"~~~\n[0.9, 0.2, 0.55]\n~~~",
		"```\n[0.9, 0.2, 0.55]",
		"``[0.9, 0.2, 0.55]``",
		"Here you go: [0.9, 0.2, 0.55]. Hope it helps!",
		"<think>[1,1,1]</think>[0.9, 0.2, 0.55]",
		"<thinking>x</thinking>\n[0.9, 0.2, 0.55]",
		"<Thought>x</Thought>[0.9, 0.2, 0.55]",
		"<reasoning>[0.1,0.1,0.1]</reasoning>[0.9, 0.2, 0.55]",
		"<analysis>[0.1,0.1,0.1]</analysis>[0.9, 0.2, 0.55]",
		"<seed:think>[0.1,0.1,0.1]</seed:think>[0.9, 0.2, 0.55]",
		"<thoughts>a</thoughts>[0.9, 0.2, 0.55]",
		"<|channel|>analysis<|message|>[0.1,0.1,0.1]<|end|><|start|>assistant<|channel|>final<|message|>[0.9, 0.2, 0.55]",
		"Reasoning: [0.1, 0.1, 0.1]\nFinal: [0.9, 0.2, 0.55]",
		"[0.9, 0.2, 0.55,]",
		"[0.9, 0.2, 0.55 // c\n]",
		"[0.9, /* x */ 0.2, 0.55]",
		"['0.9', '0.2', '0.55']",
		"[\"90%\", \"20%\", \"55%\"]",
		"[90%, 20%, 55%]",
		"1. 0.9\n2. 0.2\n3. 0.55",
		"1) 0.9\n2) 0.2\n3) 0.55",
		"1: 0.9\n2: 0.2\n3: 0.55",
		"Passage 1: 0.9\nPassage 2: 0.2\nPassage 3: 0.55",
		"**Passage 1**: 0.9 (good)\n**Passage 2**: 0.2 (bad)\n**Passage 3**: 0.55 (meh)",
		"| Passage | Score |\n|---|---|\n| 1 | 0.9 |\n| 2 | 0.2 |\n| 3 | 0.55 |",
		"段落1：0.9\n段落2：0.2\n段落3：0.55",
		"［0.9，0.2，0.55］",
		"【0.9、0.2、0.55】",
		"[0.9，0.2，0.55]",
		"[０．９，０．２，０．５５]",
		"0.9, 0.2, 0.55]",
		"[0.9, 0.2, 0.55][0.9, 0.2, 0.55]",
		"[[0.9, 0.2, 0.55]]",
		"[[0.9],[0.2],[0.55]]",
		"{\"scores\": [0.9, 0.2, 0.55]}",
		"{\"scores\": \"[0.9, 0.2, 0.55]\"}",
		"\"[0.9, 0.2, 0.55]\"",
		"{\"scores\": {\"1\": 0.9, \"2\": 0.2, \"3\": 0.55}}",
		"{\"passage_3\": 0.55, \"passage_1\": 0.9, \"passage_2\": 0.2}",
		"[{\"id\":3,\"score\":0.55},{\"id\":1,\"score\":0.9},{\"id\":2,\"score\":0.2}]",
		"[{\"passage\":\"1\",\"score\":\"0.9\"},{\"passage\":\"2\",\"score\":\"0.2\"},{\"passage\":\"3\",\"score\":\"0.55\"}]",
		"<answer>[0.9, 0.2, 0.55]</answer>",
		"scores:\n- 0.9\n- 0.2\n- 0.55",
		"- 0.9\n- 0.2\n- 0.55",
		"0.9 0.2 0.55",
		"0.9,0.2,0.55",
		"0.9\n0.2\n0.55",
		"[.9, .2, .55]",
		"[9e-1, 2e-1, 5.5e-1]",
		"[0.9 0.2 0.55]",
		"[0.9; 0.2; 0.55]",
		"(0.9, 0.2, 0.55)",
		"{0.9, 0.2, 0.55}",
		"array([0.9, 0.2, 0.55])",
		"np.array([0.9, 0.2, 0.55])",
		"scores = [0.9, 0.2, 0.55]",
		"\\boxed{[0.9, 0.2, 0.55]}",
		"$[0.9, 0.2, 0.55]$",
		"**[0.9, 0.2, 0.55]**",
		"[0.9, 0.2, 0.55]<|im_end|>",
		"[0.9, 0.2, 0.55]</s>",
		"[TOOL_CALLS] [{\"name\":\"grade\",\"arguments\":{\"scores\":[0.9,0.2,0.55]}}]",
		"<tool_call>{\"name\":\"grade\",\"arguments\":{\"scores\":[0.9,0.2,0.55]}}</tool_call>",
		"For example [0.1, 0.2, 0.3]. My answer: [0.9, 0.2, 0.55]",
		"[1] 0.9\n[2] 0.2\n[3] 0.55",
		"[1]: 0.9, [2]: 0.2, [3]: 0.55",
		"#1: 0.9\n#2: 0.2\n#3: 0.55",
		"3. 0.55\n1. 0.9\n2. 0.2",
		"0. 0.9\n1. 0.2\n2. 0.55",
		"1. 90%\n2. 20%\n3. 55%",
		"[[1, 0.9], [2, 0.2], [3, 0.55]]",
		"{1: 0.9, 2: 0.2, 3: 0.55}",
		"[0.9, 0.2, 0.55]  (average 0.55)",
		"[+0.9, +0.2, +0.55]",
		"[0.9 , 0.2 , 0.55 ] ]",
		"Grades: 0.9, 0.2, 0.55",
		"Grades: [0.9, 0.2, 0.55] because [1] answers.",
		"[1] answers directly, so [0.9, 0.2, 0.55]",
		"{\"grades\":[{\"score\":0.9},{\"score\":0.2},{\"score\":0.55}]}",
		"{\"score\":0.9}\n{\"score\":0.2}\n{\"score\":0.55}",
		"{\"score\":0.9}{\"score\":0.2}{\"score\":0.55}",
		"{\"scores\":[0.9,0.2,0.55],\"scores2\":[1,1,1]}",
		"{\"scores\":[0.9,0.2,0.55],\"confidence\":[1,1,1]}",
		"{\"reasoning\":\"[1,1,1]\",\"scores\":[0.9,0.2,0.55]}",
		"{\"scores\":[0.9,0.2,0.55]",
	} {
		r, err := reply.Scores(raw, 3)
		require.NoError(t, err, raw)
		assert.Equal(t, reply.Ratings{Values: []float64{0.9, 0.2, 0.55}}, r, raw)
	}
}

// A refusal costs one more call; a score that the model did not mean sends the run astray.
func TestScoresThatAreNotCertainAreRefused(t *testing.T) {
	for _, raw := range []string{
		"<|begin_of_thought|>[0.1,0.1,0.1]<|end_of_thought|>[0.9, 0.2, 0.55]",
		"<think>\n[0.9, 0.2, 0.55]",
		"[9/10, 2/10, 5.5/10]",
		"[\"9/10\", \"2/10\", \"5.5/10\"]",
		"[0.9/1.0, 0.2/1.0, 0.55/1.0]",
		"[9, 2, 5.5]",
		"[90, 20, 55]",
		"[4, 1, 3]",
		"[\"0.9/1\", \"0.2/1\", \"0.55/1\"]",
		"Passage 1: 0.9/1.0\nPassage 2: 0.2/1.0\nPassage 3: 0.55/1.0",
		"| 1 | 2 | 3 |\n|---|---|---|\n| 0.9 | 0.2 | 0.55 |",
		"[0.9, 0.2, 0.55",
		"[0.9, 0.2, 0.5",
		"[0.9, 0.2",
		"[0.9, 0.2, 0.55]\n[0.9, 0.2, 0.6]",
		"<scores><score>0.9</score><score>0.2</score><score>0.55</score></scores>",
		"- id: 1\n  score: 0.9\n- id: 2\n  score: 0.2\n- id: 3\n  score: 0.55",
		"[0,9; 0,2; 0,55]",
		"[0,9, 0,2, 0,55]",
		"[null, null, null]",
		"[0.9, -0.2, 0.55]",
		"[1.1, 0.2, 0.55]",
		"[true, false, true]",
		"[\"high\", \"low\", \"medium\"]",
		"零点九，零点二，零点五五",
		"[零点九, 零点二, 零点五五]",
		"Passage 1 gets 0.9, passage 2 gets 0.2 and passage 3 gets 0.55.",
		"1 → 0.9\n2 → 0.2\n3 → 0.55",
		"1. Passage about logs: 0.9\n2. Passage about backups: 0.2\n3. Other: 0.55",
		"1. 0.9/1\n2. 0.2/1\n3. 0.55/1",
		"1. 9/10\n2. 2/10\n3. 5.5/10",
		"A: 0.9\nB: 0.2\nC: 0.55",
		"first: 0.9\nsecond: 0.2\nthird: 0.55",
		"[0.9, 0.2, 0.55, 0.55]",
		"[0.9, 0.2]",
		"[(1, 0.9), (2, 0.2), (3, 0.55)]",
		"[1: 0.9, 2: 0.2, 3: 0.55]",
		"Sorry, I can't do that.",
		"",
		"[]",
		"{}",
		"[0.9, 0.2, ...]",
		"[0.9, ..., 0.55]",
		"[<score>, <score>, <score>]",
		"[0.0-1.0, 0.0-1.0, 0.0-1.0]",
		"[0.8-0.9, 0.2, 0.55]",
		"[~0.9, ~0.2, ~0.55]",
		"[0.9±0.1, 0.2, 0.55]",
		"[\"0.9 (relevant)\", \"0.2\", \"0.55\"]",
		"[0.90f, 0.20f, 0.55f]",
		"[ [ 0.9, 0.2, 0.55 ]",
		"[0.9]\n[0.2]\n[0.55]",
		"[0.9], [0.2], [0.55]",
		"[{\"rank\":1,\"score\":0.9},{\"rank\":2,\"score\":0.55},{\"rank\":3,\"score\":0.2}]",
		"{\"type\":\"array\",\"items\":{\"type\":\"number\"}}",
		"{\"scores\":[0.9,0.2,0.55",
		"{\"1\":0.9,\"2\":0.2,\"3\":0.5",
	} {
		r, err := reply.Scores(raw, 3)
		assert.Error(t, err, "%s is read as %v", raw, r)
	}
}

func TestEverySpellingOfTheSameObjectIsReadAlike(t *testing.T) {
	want := map[string]any{"route": "search", "confidence": 0.5}
	for _, raw := range []string{
		`{"route":"search","confidence":0.5}`, "```json\n{\"route\":\"search\",\"confidence\":0.5}\n```", "```jsonc\n{\"route\":\"search\",\"confidence\":0.5}", `{'route': 'search', 'confidence': .5}`,
		`{route: "search", confidence: 0.50}`, `{"route":"search","confidence":0.5,}`, `{"route":"search", // why
"confidence":0.5}`, `[{"route":"search","confidence":0.5}]`, `{"result":{"route":"search","confidence":0.5}}`, `"{\"route\":\"search\",\"confidence\":0.5}"`,
		`<think>{"route":"chitchat","confidence":1}</think>{"route":"search","confidence":0.5}`, `<seed:think>{"route":"chitchat","confidence":1}</seed:think>{"route":"search","confidence":0.5}`,
		`Sure! {"route":"search","confidence":0.5} Anything else?`, `{"Route":"search","CONFIDENCE":0.5}`, `｛“route”：“search”，“confidence”：0.5｝`, `{"route":"search",
"confidence":0.5}`, `{"name":"route","arguments":{"route":"search","confidence":0.5}}`, `<tool_call>{"name":"route","arguments":{"route":"search","confidence":0.5}}</tool_call>`,
		"{\"route\":\"search\",\"confidence\":0.5}\n{\"route\":\"search\",\"confidence\":0.5}", `{"route":"search","confidence":0.5}<|im_end|>`, `For example {"route":"chitchat","confidence":1}. Answer: {"route":"search","confidence":0.5}`,
	} {
		m, err := reply.Object(raw, "route", "confidence")
		require.NoError(t, err, raw)
		assert.Equal(t, want, m, raw)
	}
}

func TestObjectsThatAreNotCertainAreRefused(t *testing.T) {
	for _, raw := range []string{
		"", "{}", "[]", "search", `{"route":"search"}`, `{"route":"search","confidence":0.5`, `{"route":"search","confidence":0.`, `{"route":"sea`, `{"route":"search","confidence":`,
		`{"route":"search","confidence":0.5}{"route":"chitchat","confidence":0.5}`, `{"route":"…","confidence":"<number>"}`, `{"route":"string","confidence":"number"}`, `<think>{"route":"search","confidence":0.5}`,
		"route: search\nconfidence: 0.5", "<route>search</route><confidence>0.5</confidence>",
	} {
		m, err := reply.Object(raw, "route", "confidence")
		assert.Error(t, err, "%s is read as %v", raw, m)
	}
}
