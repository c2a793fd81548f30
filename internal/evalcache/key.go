package evalcache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
)

// keyVersion is raised when the meaning of keys or of what callers keep under them changes.
const keyVersion = "kbagent evaluation 1"

// A Key is all that an evaluation depends on. Two evaluations with equal keys have the same result.
type Key struct {
	// Question is the question that the items were judged against, after a follow-up is resolved.
	Question string
	// Items are the ids of the items. Their order counts: grades are kept in the order of the items, and a model that
	// sees all items at once may judge another order differently. Ids hold the hash of the content.
	Items []string
	// Index names the index where several share one cache, e.g. by its database. May be empty.
	Index string
	// IndexVersion is index.Index.Version: lexical grades read how rare words are in the whole index.
	IndexVersion int64
	// Profile names the evaluator with all that its result depends on: thresholds, the version of its prompt.
	Profile string
	// Model is the model's name, empty for evaluators without one.
	Model string
}

// String is the key's hash, 64 hexadecimal digits.
func (k Key) String() string {
	h := sha256.New()
	var n [8]byte
	field := func(s string) { // with its length, so that no two lists of fields run together
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	for _, s := range []string{keyVersion, k.Question, k.Index, strconv.FormatInt(k.IndexVersion, 10), k.Profile, k.Model} {
		field(s)
	}
	for _, id := range k.Items {
		field(id)
	}
	return hex.EncodeToString(h.Sum(nil))
}
