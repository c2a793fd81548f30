package traffic

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"regexp"
	"strconv"
	"sync/atomic"
)

// fencePattern is what crypto/rand.Text makes, and so what Fence makes.
var fencePattern = regexp.MustCompile(`\b[A-Z2-7]{26}\b`)

// fenceLength is the length of a fence in characters: 130 bits.
const fenceLength = 26

// ReplaceFences is the default of [Options.Normalize]: it replaces each random text of crypto/rand.Text, which fence the
// documents in a prompt, by FENCE-1, FENCE-2 and so on in the order in which they first appear, so that two prompts
// that differ in nothing else are equal.
func ReplaceFences(body []byte) []byte {
	names := map[string][]byte{}
	return fencePattern.ReplaceAllFunc(body, func(fence []byte) []byte {
		name, ok := names[string(fence)]
		if !ok {
			name = fmt.Appendf(nil, "FENCE-%d", len(names)+1)
			names[string(fence)] = name
		}
		return name
	})
}

// fences makes delimiters that nobody can guess who does not know the seed, the same ones for the same seed.
type fences struct {
	seed string
	n    atomic.Uint64
}

// next is the delimiter after those that were made so far.
func (f *fences) next() string {
	mac := hmac.New(sha256.New, []byte(f.seed))
	mac.Write(strconv.AppendUint(nil, f.n.Add(1), 10)) // a hash never fails
	return base32.StdEncoding.EncodeToString(mac.Sum(nil))[:fenceLength]
}
