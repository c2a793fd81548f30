package rules

import "regexp"

// What questions ask for, and the words of sentences that give it, in English and Chinese.
var (
	asksWhy     = regexp.MustCompile(`(?i)\bwhy\b|\bwhat (?:is|was|are|were) the (?:reason|cause)|为什么|为何|為什麼`)
	givesReason = regexp.MustCompile(`(?i)\b(?:because|since|due to|owing to|therefore|thus|hence|so|in order to|as a result|` +
		`reasons?|caused? by|leads? to|led to)\b|因为|由于|因此|因為|由於`)

	asksWhat = regexp.MustCompile(`(?i)^\W*what (?:is|are|was|were|does|do)\b|是什么|什么是|是什麼`)
	defines  = regexp.MustCompile(`(?i)\b(?:is|are|was|were) (?:an?|the|one of|called|known|defined|named)\b|` +
		`\b(?:refers? to|means?|known as|called|defined as|consists? of|includes?|including)\b|是一|是指|指的是|称为|稱為`)
)
