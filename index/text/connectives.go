package text

import "regexp"

// connective is what a paragraph begins with that refers to the one before: to which it adds, which it concludes from, sets
// itself against or gives an example of, and in English what points back.
var connective = regexp.MustCompile(`(?i)^\s*(?:(?:in addition|additionally|moreover|furthermore|likewise|similarly|however|nevertheless|` +
	`nonetheless|in contrast|on the other hand|instead|therefore|thus|hence|consequently|as a result|for example|for instance|` +
	`this|these|such)\b|此外|另外|而且|同时|然而|但是|不过|相反|因此|所以|于是|例如|比如)`)

// GoesOn reports whether a paragraph begins with words that refer to what stands before it, as "However" and 因此 do. It
// knows English and Chinese.
func GoesOn(paragraph string) bool { return connective.MatchString(paragraph) }
