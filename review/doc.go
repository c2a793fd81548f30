// Package review is the queue of answers that a person is to look at: entries with a deadline, who holds them, what was
// decided, what the decisions say about the thresholds, and the notifications of all that. It imports the standard library
// only; whoever keeps the entries implements [Store].
//
// An [Entry] goes this way, and no other:
//
//	pending ──Claim──▶ in_review ──Decide──▶ approved | corrected | rejected
//	   ▲────Release────────┘                        ▲
//	   └───────────────────Decide───────────────────┘
//
// The rules of that way are methods of Entry; a store only makes each of them happen at once. [Queue] is what programs
// work with: it fills in ids, deadlines and priorities, and sends what the outbox of the store holds.
package review
