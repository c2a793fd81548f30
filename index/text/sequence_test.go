package text_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/index/text"
)

func TestSequenceKeepsEveryWordInItsPlace(t *testing.T) {
	for s, want := range map[string][]string{
		"The ReadFile functions of 1,024 `logs`.": {"the", "readfil", "function", "of", "1024", "log"},
		"the log's rotation":                      {"the", "log", "rotat"},
		"数据库 server":                              {"数据", "据库", "server"},
		" —!":                                     {},
	} {
		assert.Equal(t, want, text.Sequence(s), s)
	}
}
