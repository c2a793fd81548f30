package scenario_test

import (
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/scenario"
)

type textsGiven struct {
	Text string            `yaml:"text"`
	List []string          `yaml:"list"`
	Keys map[string]string `yaml:"keys"`
}

type textsWhen struct {
	Ask string `yaml:"ask"`
}

type textsSeen struct {
	Text string `json:"text"`
}

// awkward are texts that YAML without quotes takes for something else, or that the library does not read as it wrote them.
var awkward = []string{
	"plain", "two words", " lead", "trail ", "\n", "\r\n", "\r", "\t", "\x1b[31m", "\u2028", "\u0085", "\u00a0", "\u202e", "\ufeff", "\x00", "\x7f", "\u009b",
	"#x", " # y", ": ", "- ", "---", "...", "'", `"`, `\`, "|", ">", "%", "@", "{", "]", "&a", "*a", "!t", "~", "null", "0x1f", "1_000", ".5", "=", "<<", "12:30:45", "é", "😀",
}

func TestADraftHoldsEveryTextAsItIsAndNothingThatSteersATerminal(t *testing.T) {
	texts := []string{"\tfunc Rotate() {\n\t\tkeep(30)\n\t}\n", "    indented\nless\n", "a\r\nb\r\n", "col\tcol", "end of line  \nnext"}
	for i, s := range awkward {
		other := awkward[(i+7)%len(awkward)]
		texts = append(texts, s, s+other, "x\n"+s+"y"+other, s+"\n"+other+"\nz")
	}
	for _, s := range texts {
		d := scenario.Draft[textsGiven, textsWhen]{
			Name: "n", Guards: "g", Given: textsGiven{Text: s, List: []string{s}, Keys: map[string]string{s: s}},
			Turns: []scenario.DraftTurn[textsWhen]{{When: textsWhen{Ask: s}, Then: []scenario.Expectation{{Key: "text", Value: s}}}},
		}
		text, err := d.YAML()
		require.NoError(t, err)
		for _, r := range string(text) {
			assert.False(t, r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r), "%q holds %q", text, r)
		}
		list, err := scenario.Parse[textsGiven, textsWhen, textsSeen]("draft.yaml", text)
		if assert.NoError(t, err, "%q", s) {
			assert.Equal(t, d.Given, list[0].Given, "%q", s)
			assert.Equal(t, s, list[0].Turns[0].When.Ask)
		}
	}
}

func TestReadableTextsStayReadableInADraft(t *testing.T) {
	d := scenario.Draft[textsGiven, textsWhen]{Name: "n", Guards: "g", Given: textsGiven{Text: "Rotate the logs.\n\n- daily\n- weekly\n"}}
	text, err := d.YAML()
	require.NoError(t, err)
	assert.Contains(t, string(text), "  text: |\n    Rotate the logs.\n    \n    - daily\n    - weekly\n")
}
