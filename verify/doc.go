// Package verify checks an answer against the evidence that it was written from: its claims, the quotes that carry them,
// what contradicts them, and how much trust that leaves. It may import state and index/text.
//
// Nothing here asks a model. [Claims] cuts an answer into what is to be checked, [FindQuote] and [Summarize] hold the rules
// that also bind a verifier that asks one, and [Lexical] is the verifier for those who have none.
//
// All functions are pure, safe for concurrent use and take time linear in the length of what they read.
package verify
