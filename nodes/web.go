package nodes

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// allowed is the tools that the calls of this round may use: those of the strategy, in a round that mends an answer every
// search, a page that the question names, and a web search beside a round that was only partly relevant.
func (t *turn) allowed() []string {
	list := rules.AllowedTools(t.state.Strategy)
	if t.state.Correcting() {
		list = append(list, "hybrid_search", "keyword_search")
	}
	if len(urls(t.state.Question)) > 0 {
		list = append(list, "web_fetch")
	}
	if t.state.Settings.WebSearch == state.WebAmbiguous {
		list = append(list, "web_search")
	}
	return t.once(list)
}

// once leaves the web search out of a list of tools when the run has searched the web already.
func (t *turn) once(list []string) []string {
	if t.state.WebRounds == 0 {
		return list
	}
	return slices.DeleteFunc(list, func(name string) bool { return name == "web_search" })
}

var webAddress = regexp.MustCompile(`https?://[^\s<>"'()\x60，。；、）」]+`)

// maxPages is how many pages of a question are fetched.
const maxPages = 3

// urls are the addresses of pages that a text names.
func urls(text string) []string {
	found := webAddress.FindAllString(text, maxPages)
	for i := range found {
		found[i] = strings.TrimRight(found[i], ".,;:!?")
	}
	return found
}

// pages are the calls that fetch the pages that the question names, in the first round.
func (t *turn) pages() []state.ToolCall {
	if t.state.Rounds > 0 {
		return nil
	}
	p := planning{allowed: t.nodes.cfg.Tools.Only([]string{"web_fetch"})}
	for _, u := range urls(t.state.Question) {
		p.add("web_fetch", tools.WebFetchArgs{URL: u})
	}
	return p.calls
}

// webBeside is a search of the web beside the knowledge base, when what was found is only partly relevant.
func (t *turn) webBeside(refine bool) []state.ToolCall {
	if !refine || t.state.Settings.WebSearch != state.WebAmbiguous || !t.webPossible() || !t.takeWeb() {
		return nil // of several runs at once, one gets the turn
	}
	p := planning{allowed: t.nodes.cfg.Tools.Only([]string{"web_search"})}
	p.add("web_search", tools.WebSearchArgs{Query: t.state.Query(), K: webResults})
	return p.calls
}

// webPossible says whether the run may still search the web.
func (t *turn) webPossible() bool {
	mode := t.state.Settings.WebSearch
	_, ok := t.nodes.cfg.Tools.Lookup("web_search")
	return ok && (mode == state.WebIncorrect || mode == state.WebAmbiguous) && t.state.WebRounds == 0 && t.nodes.web.ready(t.state.Run, t.nodes.cfg.Now())
}

// takeWeb takes the turn to search the web, and says whether it did: another run may have been faster.
func (t *turn) takeWeb() bool { return t.nodes.web.take(t.state.Run, t.nodes.cfg.Now()) }

// webTurn gives the runs of a process their turns to search the web. A run that took a turn has it until another takes
// one: it may have died before it came to the search.
type webTurn struct {
	cooldown *tools.Cooldown

	mu    sync.Mutex
	taken bool
	run   string // that took the last turn
}

func (w *webTurn) ready(run string, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.taken && w.run == run || w.cooldown.Ready(now)
}

func (w *webTurn) take(run string, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if (!w.taken || w.run != run) && !w.cooldown.Use(now) {
		return false
	}
	w.taken, w.run = true, run
	return true
}
