package text_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/index/text"
)

func TestAParagraphGoesOnWhenItsFirstWordsReferBack(t *testing.T) {
	for _, s := range []string{"However, logs are kept.", "  in addition to that", "This is why.", "因此，缓存默认启用。", "FOR EXAMPLE:"} {
		assert.True(t, text.GoesOn(s), "%q", s)
	}
	for _, s := range []string{"", "Thisbe loved Pyramus.", "Logs are kept. However, not for long.", "The instead operator", "缓存默认启用，因此很快。"} {
		assert.False(t, text.GoesOn(s), "%q", s)
	}
}
