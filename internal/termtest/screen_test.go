package termtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/internal/termtest"
)

func TestAScreenObeysWhatTheConversationWrites(t *testing.T) {
	for name, c := range map[string]struct{ written, want string }{
		"lines":                        {"one\r\ntwo", "one\ntwo"},
		"a long line wraps":            {"abcdefghijklm", "abcdefghij\nklm"},
		"a wide character wraps whole": {"abcdefghi漢", "abcdefghi\n漢"},
		"a status line that is erased": {"searching\r\x1b[Kdone", "done"},
		"rows that are erased":         {"a\r\nb\r\nc\r\x1b[2A\x1b[Jx", "x"},
		"colours are no text":          {"\x1b[1;31mred\x1b[0m", "red"},
		"what scrolls away is kept":    {"1\r\n2\r\n3\r\n4\r\n5", "1\n2\n3\n4\n5"},
	} {
		s := termtest.NewScreen(10, 4)
		for _, b := range []string{c.written[:1], c.written[1:]} { // also in pieces
			s.Write(b)
		}
		assert.Equal(t, c.want, s.Text(), name)
		assert.Equal(t, name == "colours are no text", s.Colored, name)
	}
}

func TestAScreenThatIsResizedGoesOn(t *testing.T) {
	s := termtest.NewScreen(4, 3)
	s.Write("ab\r\ncd\r\nef")
	s.Resize(8, 2)
	s.Write("ghijklm")
	assert.Equal(t, "ab\ncd\nefghijkl\nm", s.Text())
	s.Resize(3, 5)
	s.Write("\r\nxyzw")
	assert.Equal(t, "ab\ncd\nefghijkl\nm\nxyz\nw", s.Text())
}
