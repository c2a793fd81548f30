package rules

import (
	"strings"

	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/state"
)

// Keywords is the words of a question that carry its meaning, each once, in order.
func Keywords(question string) []string {
	seen := make(map[string]bool)
	var words []string
	for _, w := range text.Words(question) {
		if !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

// Missing is the keywords of a question that no item holds.
func Missing(question string, items []state.Evidence) []string {
	held := make(map[string]bool)
	for _, item := range items {
		for _, term := range text.Terms(item.Title + "\n" + item.Section + "\n" + item.Content) {
			held[term] = true
		}
	}
	var missing []string
	for _, word := range Keywords(question) {
		terms := text.Terms(word)
		absent := len(terms) > 0
		for _, term := range terms {
			absent = absent && !held[term]
		}
		if absent {
			missing = append(missing, word)
		}
	}
	return missing
}

// Expand is the words of a question with at most two synonyms behind each, the original words kept in order.
func Expand(question string) []string {
	var words []string
	for _, w := range Keywords(question) {
		words = append(words, w)
		others := synonyms[stem(w)]
		words = append(words, others[:min(len(others), 2)]...)
	}
	return words
}

// stem is the form by which a word is looked up: "deleting" is looked up like "delete".
func stem(word string) string {
	if terms := text.Terms(word); len(terms) > 0 {
		return terms[0]
	}
	return word
}

// synonyms is the built-in table, by stem: words that manuals and questions use for the same thing.
var synonyms = synonymTable(`
	add create new
	allow permit enable
	begin start init
	bug defect error
	build compile make
	change modify edit
	choose select pick
	config configuration settings
	configure set setup
	connect attach join
	copy duplicate clone
	debug trace diagnose
	default standard preset
	delete remove drop
	directory folder path
	disable off deactivate
	enable on activate
	end stop finish
	error failure fault
	example sample demo
	exception error panic
	explain describe document
	fast quick performance
	feature function capability
	find search locate
	fix repair solve
	folder directory path
	install setup deploy
	limit cap maximum
	list show enumerate
	memory heap allocation
	open load read
	option flag setting
	problem issue error
	remove delete drop
	rename move change
	run execute start
	save store write
	search find query
	setting option config
	show display print
	slow latency performance
	start begin launch
	stop end halt
	test check verify
	undo revert rollback
	update upgrade refresh
	upgrade update migrate
	use apply employ
	version release edition
	安装 部署 设置
	配置 设置 参数
	错误 失败 异常
	删除 移除 清除
	创建 新建 添加
	启动 开始 运行
`)

func synonymTable(lines string) map[string][]string {
	table := make(map[string][]string)
	for line := range strings.Lines(lines) {
		if words := strings.Fields(line); len(words) > 1 {
			table[stem(words[0])] = words[1:]
		}
	}
	return table
}
