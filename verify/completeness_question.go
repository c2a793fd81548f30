package verify

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index/text"
)

// compKinds tell the category of a question by its form; the first that matches counts.
var compKinds = []struct {
	category string
	form     *regexp.Regexp
}{
	{"why", regexp.MustCompile(`(?i)^\W*(why|how come|what is the reason)\b|为什么|为何`)},
	{"troubleshooting", regexp.MustCompile(`(?i)\b(errors?|fails?|failed|failing|broken|crash(es|ed)?|can't|doesn't work|not working|panics?|exception)\b|报错|失败|错误|崩溃`)},
	{"comparison", regexp.MustCompile(`(?i)\b(difference|differ|differs|versus|vs\.?|compare[ds]?|better than)\b|区别|差别|不同|相比|对比`)},
	{"how_to", regexp.MustCompile(`(?i)\bhow (do|can|could|should|would) (i|you|we|one|people|users?)\b|\bhow to\b|怎么|如何|怎样`)},
	{"list", regexp.MustCompile(`(?i)^\W*(list|name|which|enumerate)\b|\bwhat (kinds?|types?) of\b|^\W*what are\b|哪些|列出|哪几`)},
	{"definition", regexp.MustCompile(`(?i)^\W*(what is|what's|what does .+ mean|who is|define|meaning of|explain what)\b|什么是|是什么|什么意思`)},
	{"yes_no", regexp.MustCompile(`(?i)^\W*(is|are|was|were|do|does|did|can|could|should|will|would|has|have|may|must)\b|吗[？?]?\s*$|是否|能不能|可不可以|有没有`)},
}

// compPolite is a request in the form of a question: "Can you tell me …", which nobody answers with yes.
var compPolite = regexp.MustCompile(`(?i)^\W*(?:(?:can|could|would|will) you (?:please )?(?:tell|explain|describe|give|show|list|help|provide|name|compare|summari[sz]e)(?: (?:me|us))?|do you (?:have|know)|(?:请问|你能告诉我|能告诉我|请告诉我))\b?`)

// compMechanism asks how something works, not how to do it.
var compMechanism = regexp.MustCompile(`(?i)^\W*how (?:does|did|is|are|was|were)\b|^\W*how do .{1,60}\bwork\b|原理|怎么工作|如何工作|怎样工作`)

// compSingular asks for one thing: "Which port is used?".
var compSingular = regexp.MustCompile(`(?i)\b(?:which|what (?:kind|type|sort) of)\s+(?:[\w-]+\s+)?[\w-]*[^s\s]\s+(?:is|was|does|did|has|had)\b|哪个|哪一个|哪种`)

// compDetect is the category of a question by its form, or "".
func compDetect(question string) string {
	question = compPolite.ReplaceAllString(question, "")
	for _, kind := range compKinds {
		if kind.form.MatchString(question) {
			return kind.category
		}
	}
	return ""
}

// compGeneric are terms that say what kind of answer is wanted, not of what.
var compGeneric = compTermSet(`difference differ compare compared versus vs list name define definition mean meaning explain describe kind type
	way reason example thing use work happen tell know please want need best possible different between similar
	区别 差别 不同 相比 对比 哪些 列出 原因 意思 解释 说明 介绍 定义 比较`)

func compTermSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, t := range text.Terms(words) {
		set[t] = true
	}
	return set
}

// compFunctionChars are Chinese characters of grammar: a pair that holds one crosses the border of words.
const compFunctionChars = "的了在是什么谁哪多少几何被和与跟对有为吗呢怎样如个这那其之于以及从到把让也都就得着过吧啊该能可需要"

// compSubject is the terms of a question, or of a side of a comparison, that say what it is about.
func compSubject(s string) []string {
	var subject []string
	for _, t := range text.Terms(s) {
		crosses := utf8.RuneCountInString(t) == 2 && compIdeographic(t) && strings.ContainsAny(t, compFunctionChars)
		if !compGeneric[t] && !crosses {
			subject = append(subject, t)
		}
	}
	return subject
}

func compIdeographic(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	})
}

// compSides find what a question compares: two groups, the sides.
var compSides = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bbetween\s+(.+?)\s+and\s+([^?.!,;]+)`),
	regexp.MustCompile(`(?i)(?:^|\b(?:is|are|does|do|compare|how|should i use|use|prefer|choose)\s)\s*(.+?)\s+(?:versus|vs\.?|differs?\s+from|different\s+from|compared?\s+(?:to|with)|better\s+than|faster\s+than|instead\s+of|rather\s+than)\s+([^?.!,;]+)`),
	regexp.MustCompile(`(?i)\bcompare\s+(.+?)\s+(?:and|with|to)\s+([^?.!,;]+)`),
	regexp.MustCompile(`(?i)\b(?:do|does|are|should)\s+(.+?)\s+(?:and|or)\s+(.+?)\s+(?:differ|compare|different|better)\b`),
	regexp.MustCompile(`([^，。？?、\s]+?)\s*(?:和|与|跟|同|相比)\s*([^，。？?、\s]+?)\s*(?:的|之间|有|相比|有什么|哪个|在)*\s*(?:区别|差别|差异|不同|对比|比较|更|好)`),
	regexp.MustCompile(`(?:比较|对比)\s*([^，。？?、\s]+?)\s*(?:和|与|跟|同)\s*([^，。？?、\s]+)`),
}

// compCompared are the subjects of both sides of a comparison; ok is false when the question names none.
func compCompared(question string) (a, b []string, ok bool) {
	for _, form := range compSides {
		if m := form.FindStringSubmatch(question); m != nil {
			a, b = compSubject(m[1]), compSubject(m[2])
			if len(a) > 0 && len(b) > 0 {
				return a, b, true
			}
		}
	}
	return nil, nil, false
}
