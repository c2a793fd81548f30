package config

import (
	"slices"

	"github.com/kbagent/kbagent/internal/near"
)

// nearest is the existing variable that is most like a name, or "" when none is like it.
func nearest(name string) string {
	if len(name) > 2*len(prefix+"VECTOR_SCORE_THRESHOLD") {
		return ""
	}
	return near.Nearest(name, slices.Sorted(slices.Values(Names())), 3) // more than three typing errors are another word
}
