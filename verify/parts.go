package verify

import "unicode/utf8"

// Parts groups claims, in order, into parts of at most limitRunes characters, so that a very long answer is verified in
// several calls instead of being cut. A claim that is longer than the limit makes a part of its own. A limit of 0 or less
// makes one part; without claims there is none. The parts share the memory of claims.
func Parts(claims []string, limitRunes int) [][]string {
	var parts [][]string
	start, size := 0, 0
	for i, claim := range claims {
		n := utf8.RuneCountInString(claim)
		if limitRunes > 0 && i > start && size+n > limitRunes {
			parts = append(parts, claims[start:i:i])
			start, size = i, 0
		}
		size += n
	}
	if start < len(claims) {
		parts = append(parts, claims[start:])
	}
	return parts
}
