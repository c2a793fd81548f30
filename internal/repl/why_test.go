package repl

import (
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/assert"
)

func TestAPictureFitsTheScreen(t *testing.T) {
	assert.Equal(t, `judge       by lexical: 2 of 3
    │       passages kept, average
    │       0.85
    │       ████ 0.85  keys.md
    ▼       REFINE: search for what
    │       is missing
            [1]
            a/very/long/path/of/a/fi
            le.md:L1-L2`, foldPicture(`judge       by lexical: 2 of 3 passages kept, average 0.85
    │       ████ 0.85  keys.md
    ▼       REFINE: search for what is missing
            [1] a/very/long/path/of/a/file.md:L1-L2
`, 36))
	for line := range strings.SplitSeq(foldPicture("question    "+strings.Repeat("漢", 100), 80), "\n") {
		assert.LessOrEqual(t, uniseg.StringWidth(line), 80)
	}
	assert.Equal(t, "question    a long question", foldPicture("question    a long question\n", 20), "a window that is too narrow is left alone")
}
