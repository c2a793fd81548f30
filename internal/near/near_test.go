package near_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/internal/near"
)

func TestEditsIsADistance(t *testing.T) {
	word := rapid.StringOf(rapid.RuneFrom([]rune("/abc")))
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := near.Edits(a, b)
		if d != near.Edits(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			t.Fatalf("Edits(%q, %q) = %d, reversed %d", a, b, d, near.Edits(b, a))
		}
	})
	assert.Equal(t, 1, near.Edits("/hlep", "/help"), "a swap is one slip")
}

func TestNearestIsTheFirstWithTheFewestSlips(t *testing.T) {
	words := []string{"path", "rule", "rules", "answer"}
	assert.Equal(t, "rule", near.Nearest("rlue", words, 2))
	assert.Equal(t, "rules", near.Nearest("rulez", words[2:], 2))
	assert.Empty(t, near.Nearest("transitions", words, 3))
	assert.Empty(t, near.Nearest("x", nil, 3))
}
