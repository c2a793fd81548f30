package config

import "slices"

// nearest is the existing variable that is most like a name, or "" when none is like it.
func nearest(name string) string {
	if len(name) > 2*len(prefix+"VECTOR_SCORE_THRESHOLD") {
		return ""
	}
	best, least := "", 4 // more than three typing errors are another word
	names := Names()
	for short := range later {
		names = append(names, prefix+short)
	}
	slices.Sort(names)
	for _, candidate := range names {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete or replace to make b of a (Levenshtein 1965).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(diagonal+cost, row[j]+1, row[j+1]+1)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
