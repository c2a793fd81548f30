package reply

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// idKeys name the number of an item within an object. A rank is no such number: it tells the order of the reply.
var idKeys = set("id", "index", "idx", "i", "n", "no", "number", "doc", "document", "docid", "documentid", "docindex",
	"documentindex", "docnumber", "documentnumber", "passage", "passageid", "passageindex", "passagenumber", "item", "itemid",
	"itemindex", "chunk", "chunkid", "chunkindex", "position")

// rankKeys name an order that is not the order of the items.
var rankKeys = set("rank", "ranking", "order", "place", "top")

// isItem reports whether an object holds the score of one item: it is no wrapper.
func isItem(v value) bool {
	_, err := scoreOf(v)
	return err == nil
}

// objects reads one object per item.
func (b batch) objects(list []value) (Ratings, error) {
	entries, ids, ranked := make([]value, len(list)), make([]int, 0, len(list)), false
	for i, v := range list {
		if id, entry, ok := single(v); ok {
			entries[i], ids = entry, append(ids, id)
			continue
		}
		entry, err := scoreOf(v)
		if err != nil {
			return Ratings{}, err
		}
		entries[i] = entry
		id, has, err := itemID(v)
		if err != nil {
			return Ratings{}, err
		}
		if has {
			ids = append(ids, id)
		}
		for _, f := range v.fields {
			ranked = ranked || rankKeys[plain(f.key)]
		}
	}
	switch {
	case len(ids) == len(list):
		return b.place(ids, entries)
	case len(ids) > 0:
		return Ratings{}, faultf("some entries say which item they score and some do not")
	case ranked:
		return Ratings{}, faultf("the entries are ranked and do not say which item they score")
	}
	return b.entries(entries)
}

// single reads an object with one member whose key is the item, like {"doc 2": 0.9}.
func single(v value) (id int, entry value, ok bool) {
	if len(v.fields) != 1 {
		return 0, value{}, false
	}
	id, ok = idText(v.fields[0].key)
	return id, v.fields[0].val, ok
}

// scoreOf is the one score of an object.
func scoreOf(v value) (value, error) {
	var scores []value
	for _, f := range v.fields {
		encoded := f.val.kind == kindString && opener(trim(f.val.text), 0) == 0
		if scoreKeys[plain(f.key)] && !f.val.composite() && !encoded {
			scores = append(scores, f.val)
		}
	}
	if len(scores) == 0 {
		return value{}, faultf("an entry has no member named score")
	}
	// Besides a number there may be a word for it: {"relevance": "high", "score": 0.9}.
	best := scores[0]
	for _, s := range scores[1:] {
		_, _, err := entry(s)
		_, _, before := entry(best)
		switch {
		case before != nil:
			best = s
		case err == nil && s.text != best.text:
			return value{}, faultf("an entry has several scores that differ")
		}
	}
	return best, nil
}

// itemID is the number of the item that an object scores.
func itemID(v value) (id int, has bool, err error) {
	for _, f := range v.fields {
		if !idKeys[plain(f.key)] {
			continue
		}
		n, ok := idOf(f.val)
		switch {
		case !ok:
			continue // the text or the title of a document
		case has && n != id:
			return 0, false, faultf("an entry has two numbers for its item, %d and %d", id, n)
		}
		id, has = n, true
	}
	return id, has, nil
}

// idWord is a number with the word that models put in front of it: "doc_2", "[3]", "Passage 4".
var idWord = regexp.MustCompile(`^(?:(?i:documents?|docs?|passages?|items?|texts?|chunks?|results?|evidence|sources?|scores?|id|index|no\.?|number|文档|段落|[dpst])[ #_\[(-]*|[#\[(]?)(\d{1,4})[\])]?$`)

func idText(s string) (int, bool) {
	m := idWord.FindStringSubmatch(foldString(trim(s)))
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}

func idOf(v value) (int, bool) {
	switch v.kind {
	case kindNumber:
		f, err := strconv.ParseFloat(v.text, 64)
		return int(f), err == nil && f == math.Trunc(f) && f >= 0 && f < 1e4
	case kindString, kindBare:
		return idText(v.text)
	}
	return 0, false
}

// place puts entries into the order of the items. Ids count from 0 or from 1, whichever fits; a list that lacks items
// must show which by naming the first one as 0 or the last one as n.
func (b batch) place(ids []int, entries []value) (Ratings, error) {
	low, high, seen := math.MaxInt, 0, make(map[int]bool, len(ids))
	for _, id := range ids {
		if seen[id] {
			return Ratings{}, faultf("item %d is scored twice", id)
		}
		seen[id] = true
		low, high = min(low, id), max(high, id)
	}
	base := 0
	switch {
	case low >= 1 && high == b.n:
		base = 1
	case low == 0 && high < b.n:
	case low >= 1 && high < b.n:
		return Ratings{}, b.wrongCount(len(ids))
	default:
		return Ratings{}, faultf("the entries are numbered %d to %d, but there are %d items", low, high, b.n)
	}
	if 2*len(ids) <= b.n {
		return Ratings{}, b.wrongCount(len(ids))
	}
	ordered := make([]value, b.n) // the zero value is null: ungraded
	for i, id := range ids {
		ordered[id-base] = entries[i]
	}
	return b.entries(ordered)
}

func (b batch) wrongCount(got int) error {
	if b.n == 1 {
		return faultf("1 score is needed, not %d", got)
	}
	return faultf("%d scores are needed, not %d", b.n, got)
}

// keyOf tells ratings apart.
func keyOf(r Ratings) string { return fmt.Sprint(r.Values, r.Ungraded) }
