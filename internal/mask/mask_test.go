package mask

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestCards(t *testing.T) {
	for claim, c := range map[string]struct{ in, want string }{
		"a card number keeps its last four digits":            {"pay 4111111111111111 now", "pay ************1111 now"},
		"spaces and hyphens between digits stay":              {"4111 1111-1111 1111", "**** ****-**** 1111"},
		"the shortest card has 13 digits":                     {"4222222222222", "*********2222"},
		"a number that fails the Luhn check stays":            {"4111111111111112", "4111111111111112"},
		"12 digits are no card":                               {"411111111116", "411111111116"},
		"a longer run of digits is no card":                   {"41111111111111110000", "41111111111111110000"},
		"digits in a hexadecimal id are no card":              {"id a4111111111111111", "id a4111111111111111"},
		"digits in front of letters are no card":              {"4111111111111111f", "4111111111111111f"},
		"decimals are no card":                                {"0.4111111111111111", "0.4111111111111111"},
		"a card at the end of a sentence is one":              {"it is 4111111111111111.", "it is ************1111."},
		"two separators in a row end a number":                {"4111  111111111111", "4111  111111111111"},
		"text without digits is the same":                     {"nothing here", "nothing here"},
		"a card behind Chinese text is masked":                {"卡号4111111111111111。", "卡号************1111。"},
		"two cards are both masked":                           {"4111111111111111, 4222222222222", "************1111, *********2222"},
		"two cards with a space between them are both masked": {"4111111111111111 4222222222222", "************1111 *********2222"},
		"columns of small numbers are no card":                {"4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"},
		"a house number in front of a card is no part of it":  {"12 4111 1111 1111 1111", "12 **** **** **** 1111"},
		"line breaks are no separators, so tables stay whole": {"4111\n111111111111", "4111\n111111111111"},
	} {
		t.Run(claim, func(t *testing.T) { assert.Equal(t, c.want, Cards(c.in)) })
	}
}

func TestCardsChangeDigitsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[ a.,4-]{0,5}([0-9 -]{0,24}[ a.,]?){0,4}`).Draw(t, "s")
		masked := Cards(s)
		assert.Len(t, masked, len(s))
		for i := range masked {
			if masked[i] != s[i] {
				assert.Equal(t, byte('*'), masked[i])
				assert.True(t, isDigit(rune(s[i])))
			}
		}
	})
}

func TestEveryValidCardIsMasked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := []byte(rapid.StringMatching(`[1-9][0-9]{11,17}`).Draw(t, "digits"))
		for check := byte('0'); check <= '9'; check++ {
			if card := slices.Concat(digits, []byte{check}); luhn(card) {
				assert.NotContains(t, Cards("card: "+string(card)+"!"), string(card))
			}
		}
	})
}

func TestSecrets(t *testing.T) {
	assert.Equal(t, "key **** used", Secrets("key sk-12345 used", "sk-12345"))
	assert.Equal(t, "****, ****", Secrets("key-12345, key-1", "key-1", "key-12345"), "no rest of the longer one stays")
	assert.Equal(t, "abc", Secrets("abc", "", "b"), "short secrets would hit ordinary text")
}

func TestTextCannotSteerATerminal(t *testing.T) {
	assert.Equal(t, "red]0;owned", Terminal("\x1bred\x1b]0;owned\x07"))
	assert.Equal(t, "a    b\nc", Terminal("a\tb\nc"))
	assert.Equal(t, "2J abc", Terminal("\u009b2J a\u202eb\u2066c"))
	assert.Equal(t, "one line", TerminalLine(" one \n\t line "))
	assert.Equal(t, "日志 ü", Terminal("日志 ü"))
}

func FuzzCards(f *testing.F) {
	for _, s := range []string{"4111 1111 1111 1111", "0.1234567890123", "", strings.Repeat("4", 100)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := Cards(s); len(got) != len(s) {
			t.Fatalf("%q became %q", s, got)
		}
	})
}
