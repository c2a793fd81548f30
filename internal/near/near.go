// Package near finds what somebody may have meant. It imports the standard library only.
package near

// Nearest is the candidate that the fewest slips lead to from word, the first of several; "" when it takes more than most.
func Nearest(word string, candidates []string, most int) string {
	best, least := "", most+1
	for _, c := range candidates {
		if d := Edits(word, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// Edits is how many insertions, deletions, replacements and swaps of neighbours lead from a to b (optimal string
// alignment).
func Edits(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, now := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		now[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(y)]
}
