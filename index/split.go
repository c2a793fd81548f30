package index

import "fmt"

// SplitOptions sets the size of passages, in words; a Chinese, Japanese or Korean character counts two thirds of a word.
type SplitOptions struct {
	// TargetWords is the size that passages are packed up to. Default 220.
	TargetWords int
	// MaxWords is never exceeded; at least TargetWords. Default 400.
	// A line that is longer alone is cut at sentence ends, then at white space, then between runes.
	MaxWords int
}

func (o SplitOptions) withDefaults() (SplitOptions, error) {
	if o.TargetWords < 0 || o.MaxWords < 0 {
		return o, fmt.Errorf("index: TargetWords (%d) and MaxWords (%d) must not be negative", o.TargetWords, o.MaxWords)
	}
	if o.TargetWords == 0 {
		o.TargetWords = 220
	}
	if o.MaxWords == 0 {
		o.MaxWords = max(400, o.TargetWords)
	}
	if o.MaxWords < o.TargetWords {
		return o, fmt.Errorf("index: MaxWords (%d) is below TargetWords (%d)", o.MaxWords, o.TargetWords)
	}
	return o, nil
}
