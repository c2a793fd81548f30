package text

import "strings"

// english are the words that carry no topic. Negations, numbers and words of comparison are kept out of the list.
const englishStopWords = `
a about after again all also am an and any are aren't as at
be because been before being between both but by
can can't cannot could couldn't
did didn't do does doesn't doing don't during
each either else ever
few for from further
get gets getting got
had hadn't has hasn't have haven't having he he'd he'll her here hers herself him himself his how however
i i'd i'll i'm i've if in into is isn't it it'd it'll its itself
just let let's like
may me might more most must my myself
nor now of off on once only onto or other our ours ourselves out over own
per please rather really same shall she she'd she'll should shouldn't since so some such
tell than that that'll the their theirs them themselves then there therefore these they they'd they'll they're they've
this those through thus to too until up upon us
very via was wasn't we we'd we'll we're we've were weren't what what're when where whether which while who whom whose why
will with within won't would wouldn't
yes yet you you'd you'll you're you've your yours yourself yourselves`

// cjkStopWords are question words and particles, as the pairs and single characters that Terms makes.
const cjkStopWords = `
什么 怎么 如何 哪些 哪个 哪里 哪儿 多少 为何 是否 谁是 是谁 为什 么样 怎样 请问 的是 是什 的了 这个 那个 这些 那些 我们 你们 他们 以及 或者 因为 所以 但是
的 了 是 在 和 与 吗 呢 吧 啊 也 就 都 而 及 或 我 你 他 她 它 这 那 谁 哪 几
です ます した して する いる ある こと もの これ それ あれ この その あの から まで とは なに 何で ですか すか
の は が を に へ と で も や か ね よ
입니 니다 습니 까요 있는 하는 그리 리고 무엇 어떻 떻게 그것 이것 저것
은 는 이 가 을 를 의 에 도 와 과`

var stopWords = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(englishStopWords + cjkStopWords) {
		set[w] = true
	}
	return set
}()

// IsStopWord reports whether w, in lower case, carries no topic by itself: an English function word,
// a Chinese, Japanese or Korean particle or question word (as a pair of characters, see Terms).
func IsStopWord(w string) bool { return stopWords[w] }
