// Package reply reads what language models reply: scores, objects and tool calls that stand somewhere in a text. It
// imports the standard library only.
//
// A model that is asked for JSON sends JSON most of the time. The rest has thinking blocks, code fences and prose around
// it, comments, trailing commas, numbers as strings, full-width punctuation, JSON inside a JSON string, or ends in the
// middle. The package understands the spelling and never guesses the meaning: a wrong value does more harm than a
// refusal, which costs one more call. So it refuses a list of another length, another scale, two lists that both fit, and
// everything whose end is missing.
//
// Every failure is a [*ParseError] whose reason can be shown to the model. All functions are pure, safe for concurrent
// use and take time linear in the length of the reply, whatever it holds.
//
// The reader is our own, not a repair library: such libraries close what is open and fill in what is missing, and a
// number that was cut in the middle then looks like a score.
package reply
