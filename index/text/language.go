package text

import (
	"unicode"
	"unicode/utf8"
)

// languageSample is how many bytes Language looks at.
const languageSample = 4096

// Language tells the language by its script: "zh", "ja" (any Kana beside the Han), "ko", "en" or "".
// Latin text is "en" unless it has eight words or more and no English function word among them. It reads the first 4 KB.
func Language(s string) string {
	if len(s) > languageSample {
		s = s[:languageSample]
	}
	n := countScripts(s)
	cjk := n.han + n.kana + n.hangul
	switch {
	case cjk*3 < n.latin || cjk == 0:
		return latinLanguage(s, n)
	case n.hangul > n.han+n.kana:
		return "ko"
	case n.kana*10 >= n.han:
		return "ja"
	default:
		return "zh"
	}
}

type scriptCounts struct{ han, kana, hangul, latin, letters int }

func countScripts(s string) (n scriptCounts) {
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if 'a' <= r|0x20 && r|0x20 <= 'z' {
				n.latin++
				n.letters++
			}
		case unicode.Is(unicode.Han, r):
			n.han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			n.kana++
		case unicode.Is(unicode.Hangul, r):
			n.hangul++
		case unicode.IsLetter(r):
			n.letters++
			if unicode.Is(unicode.Latin, r) {
				n.latin++
			}
		}
	}
	return n
}

func latinLanguage(s string, n scriptCounts) string {
	if n.latin == 0 || n.latin*2 < n.letters {
		return ""
	}
	count, function := 0, 0
	eachWord(s, func(t token) {
		if count++; IsStopWord(normal(t.text)) {
			function++
		}
	})
	if count >= 8 && function == 0 {
		return ""
	}
	return "en"
}
