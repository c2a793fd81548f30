package nodes

import (
	"context"
	"regexp"
	"strings"
	"unicode"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// heuristicRouter understands questions by their words, in English and Chinese.
type heuristicRouter struct{}

var (
	smallTalk = regexp.MustCompile(`(?i)^\W*(hi|hello|hey|good (morning|afternoon|evening|day)|thanks|thank you( very much)?|thx|bye|goodbye|see you|how are you|who are you|what can you do|what are you|你好|您好|嗨|早上好|晚上好|谢谢|多谢|再见|你是谁|你能做什么)( there| all| a lot| so much|啊|呀|吗)?\W*$`)
	followUp  = regexp.MustCompile(`(?i:^\W*(and|or|but|also|so|then|what about|how about|what if|why not|for example)\b)|\b([Ii]ts?|[Tt]hey|[Tt]hem|[Tt]heirs?|[Hh]e|[Hh]im|[Hh]is|[Ss]he|[Hh]er|[Tt]hese|[Tt]hose|the same|that one|this one|the other one|above)\b|\b(that|this)\s*[?.!]*\s*$|(?i:^\W*(why|how|how so|when|where|who)\W*$)|^(那|那么|还有|它|他|她|这个|那个)|(呢|它|它们)[？?]?$`)
	// sentenceEnd and andQuestion are where a question that asks for several things falls apart.
	sentenceEnd = regexp.MustCompile(`[;；?？]+\s*|，?(?:以及|另外|还有)`)
	andQuestion = regexp.MustCompile(`(?i),?\s+and\s+(?:also\s+)?((?:what|how|why|when|where|who|which|is|are|does|do|can)\b)`)
)

var categories = []struct {
	name    string
	pattern *regexp.Regexp
}{
	{"why", regexp.MustCompile(`(?i)^\W*why\b|为什么|为何`)},
	{"troubleshooting", regexp.MustCompile(`(?i)\b(error|fails?|failed|failing|broken|crash(es|ed)?|cannot|can't|doesn't work|not working|panic|exception)\b|报错|失败|错误`)},
	{"comparison", regexp.MustCompile(`(?i)\b(difference|differ|versus|vs\.?|compared?|better than|instead of)\b|区别|相比`)},
	{"how_to", regexp.MustCompile(`(?i)^\W*how (do|can|should|to|would)\b|\bhow to\b|怎么|如何|怎样`)},
	{"list", regexp.MustCompile(`(?i)\b(list|which|what (kinds?|types?)|what are)\b|哪些|列出`)},
	{"definition", regexp.MustCompile(`(?i)^\W*(what is|what's|what does|who is|define|meaning of)\b|什么是|是什么`)},
	{"yes_no", regexp.MustCompile(`(?i)^\W*(is|are|was|were|do|does|did|can|could|should|will|would|has|have)\b|吗[？?]?$|是否`)},
}

// Route never fails.
func (heuristicRouter) Route(_ context.Context, q RouteRequest) (RouteDecision, error) {
	return Understand(q.Question, q.Topic), nil
}

// Understand is what the router makes of a question without a model. topic is the Topic of the decision before, "" at the
// begin of a conversation.
func Understand(question, topic string) RouteDecision {
	question = strings.Join(strings.Fields(question), " ")
	d := RouteDecision{Route: state.RouteSearch, Confidence: 0.6, Category: "other", Query: question}
	if smallTalk.MatchString(question) || !hasLetters(question) {
		d.Route, d.Confidence = state.RouteChitchat, 0.9
		return d
	}
	d.Query, d.Topic = resolve(question, topic)
	for _, c := range categories {
		if c.pattern.MatchString(question) {
			d.Category, d.Confidence = c.name, 0.8
			break
		}
	}
	d.Keywords = rules.Keywords(d.Query)
	d.SubQueries = parts(d.Query)
	return d
}

// aloneFrom is how many keywords a question has that stands alone.
const aloneFrom = 4

// resolve folds the topic into a question that cannot stand alone, as a line before it, which searches and grades count half; one
// that can is the new topic. One question back helps retrieval, more history hurts: on mtrag_un nDCG@10 is .783 for the question
// alone, .827 with the topic in full, .848 with half of it.
func resolve(question, topic string) (query, newTopic string) {
	standsAlone := len(rules.Keywords(question)) >= aloneFrom && !followUp.MatchString(question)
	if topic == "" || topic == question || standsAlone {
		return question, question
	}
	return topic + "\n" + question, topic
}

// parts splits a question that asks for several things; one that does not has no parts.
func parts(question string) []string {
	var out []string
	for _, sentence := range sentenceEnd.Split(question, -1) {
		for sentence != "" {
			head, tail := sentence, ""
			if at := andQuestion.FindStringSubmatchIndex(sentence); at != nil {
				head, tail = sentence[:at[0]], sentence[at[2]:]
			}
			if head = strings.TrimSpace(head); len(rules.Keywords(head)) > 0 {
				out = append(out, head)
			}
			sentence = tail
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

func hasLetters(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
