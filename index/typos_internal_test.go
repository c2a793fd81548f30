package index

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEditDistanceCountsEditsAndExchanges(t *testing.T) {
	for _, tt := range []struct {
		a, b        string
		limit, want int
	}{
		{"database", "database", 2, 0}, {"databse", "database", 2, 1}, {"dtaabase", "database", 2, 1}, {"databases", "database", 2, 1},
		{"database", "databank", 2, 2}, {"kitten", "sitting", 3, 3}, {"kitten", "sitting", 2, 3}, {"a", "abcdef", 2, 3}, {"größe", "grösse", 2, 2}, {"", "", 1, 0},
	} {
		assert.Equal(t, tt.want, editDistance([]rune(tt.a), []rune(tt.b), tt.limit), "%s %s", tt.a, tt.b)
		assert.Equal(t, tt.want, editDistance([]rune(tt.b), []rune(tt.a), tt.limit), "%s %s", tt.b, tt.a)
	}
}
