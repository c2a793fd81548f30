package reply

import (
	"slices"
	"strings"
	"unicode"
)

// batch reads values as the scores of n items.
type batch struct{ n int }

// scoreKeys name a score or a list of scores, wrapperKeys what may stand around them; both without case and punctuation.
var (
	scoreKeys = set("score", "scores", "relevance", "relevances", "relevancescore", "relevancescores", "relevancy",
		"rating", "ratings", "grade", "grades", "similarity", "similarities", "finalscore", "finalscores")
	wrapperKeys = set("result", "results", "output", "outputs", "answer", "answers", "finalanswer", "response", "data",
		"value", "values", "array", "list", "json", "items", "documents", "docs", "passages", "chunks", "evaluation", "evaluations",
		"judgment", "judgments", "judgement", "judgements", "function", "functioncall", "toolcall", "toolcalls", "tool", "calls",
		"arguments", "args", "parameters", "params", "input", "content", "final")
)

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// plain is a key without case and punctuation: "relevance_score" and "relevanceScore" are one.
func plain(key string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, key)
}

// maxWrappers is how many wrappers may stand around the scores.
const maxWrappers = 5

func (b batch) read(v value, wrappers int) (Ratings, error) {
	if wrappers > maxWrappers {
		return Ratings{}, faultf("the scores are wrapped too deeply")
	}
	switch v.kind {
	case kindList:
		return b.list(v.list, wrappers)
	case kindObject:
		return b.object(v, wrappers)
	case kindString:
		if inner, ok := whole(v.text); ok {
			return b.read(inner, wrappers+1)
		}
	}
	if wrappers > 0 && b.n == 1 {
		return b.entries([]value{v})
	}
	return Ratings{}, faultf("%s is no list of %d scores", brief(v.text), b.n)
}

func (b batch) list(list []value, wrappers int) (Ratings, error) {
	switch {
	case all(list, func(v value) bool { return !v.composite() }):
		return b.entries(list)
	case all(list, func(v value) bool { return v.kind == kindObject }):
		if len(list) == 1 && !isItem(list[0]) {
			return b.read(list[0], wrappers+1)
		}
		return b.objects(list)
	case len(list) == 1:
		return b.read(list[0], wrappers+1)
	case all(list, func(v value) bool { return len(v.list) == 1 }):
		return b.entries(column(list, 0))
	case all(list, func(v value) bool { return len(v.list) == 2 }):
		return b.pairs(list)
	}
	return Ratings{}, faultf("the entries of the list are not all numbers")
}

func all(list []value, is func(value) bool) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(v value) bool { return !is(v) })
}

func column(list []value, i int) []value {
	out := make([]value, len(list))
	for j, v := range list {
		out[j] = v.list[i]
	}
	return out
}

// pairs reads [id, score] rows. Rows that can be read either way round are refused.
func (b batch) pairs(list []value) (Ratings, error) {
	placed := func(id, score int) (Ratings, error) {
		ids := make([]int, len(list))
		for i, v := range column(list, id) {
			n, ok := idOf(v)
			if !ok {
				return Ratings{}, faultf("%s is no number of an item", brief(v.text))
			}
			ids[i] = n
		}
		return b.place(ids, column(list, score))
	}
	forth, err := placed(0, 1)
	if _, back := placed(1, 0); err == nil && back == nil {
		return Ratings{}, faultAmbiguous
	}
	return forth, err
}

// object reads scores out of an object: named, wrapped, or keyed by the items' numbers.
func (b batch) object(v value, wrappers int) (Ratings, error) {
	if isItem(v) {
		return b.objects([]value{v})
	}
	for _, keys := range []map[string]bool{scoreKeys, wrapperKeys} {
		var inside []field
		for _, f := range v.fields {
			if keys[plain(f.key)] {
				inside = append(inside, f)
			}
		}
		if len(inside) > 0 {
			return b.oneOf(inside, wrappers)
		}
	}
	return b.keyed(v.fields)
}

// oneOf reads the members that may hold the scores; those that can be read must agree.
func (b batch) oneOf(inside []field, wrappers int) (Ratings, error) {
	var fits []found[Ratings]
	var refused error
	broken := false // a list of scores that cannot be read is not passed over
	for _, f := range inside {
		r, err := b.read(f.val, wrappers+1)
		if err != nil {
			if refused == nil || f.val.composite() {
				refused = err
			}
			broken = broken || f.val.composite() && scoreKeys[plain(f.key)]
			continue
		}
		fits = append(fits, found[Ratings]{val: r, key: keyOf(r)})
	}
	if len(fits) == 0 || broken {
		return Ratings{}, refused
	}
	return choose(fits)
}

// keyed reads an object like {"1": 0.9, "doc 2": {"score": 0.2}}; other members, like an average, are left alone.
func (b batch) keyed(fields []field) (Ratings, error) {
	var ids []int
	var entries []value
	for _, f := range fields {
		id, ok := idText(f.key)
		if !ok {
			continue
		}
		entry := f.val
		if entry.kind == kindObject {
			var err error
			if entry, err = scoreOf(entry); err != nil {
				return Ratings{}, err
			}
		}
		ids, entries = append(ids, id), append(entries, entry)
	}
	if len(ids) == 0 {
		return Ratings{}, faultf("the object holds no list of %d scores", b.n)
	}
	return b.place(ids, entries)
}
