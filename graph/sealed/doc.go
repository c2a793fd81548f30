// Package sealed encrypts what a graph.Store keeps: entries, snapshots, pending writes and their keys, with AES-256-GCM
// and a key that only the program has. It imports graph and the standard library only.
//
// # What is hidden, and what is not
//
// Thread ids, sequence numbers, fences and the sizes of rows stay readable, and so does how many rows there are and when they
// come. Nothing else does: node names, questions, answers, states and the times in them are inside of what is encrypted.
// The key of a pending write holds names of nodes and questions; the inner store sees a keyed hash of it, which also
// hides that two threads, or two steps, have equal keys. A thread id should therefore be no name or address of a person.
//
// # What a row is bound to
//
// A row can be opened only as what it was written as: an entry as the entry of its number, a snapshot as that of its entry,
// a pending write as one of its step and hashed key. Anything else is graph.ErrDamaged. It is not bound to its thread,
// because graph.Store.Copy gives rows to other threads within the inner store.
//
// Who can write to the database but has no key cannot read a row, change one, make one, give it another place in a log,
// or turn a snapshot into an entry. He can delete rows and threads, bring back what a row or a whole thread was before,
// put a thread's row in the same place of another thread, as Copy does with all of them, and make a row unreadable.
// Who must exclude that needs a database that he alone can write.
//
// # Keys
//
// A key is 32 random bytes, from crypto/rand or a key management service, never a password. It can be replaced at any time:
// New takes the key that encrypts from now on, and old ones that only decrypt. Where several processes share a store,
// first give all of them the new key as an old one, and only then as the first. A row keeps its key until it
// is written again or trimmed away; what needs a key that is not there is [ErrKey]. Nonces are random, so one key
// should not encrypt more than 2^32 rows.
//
// There is no way back to plain text: a row that is not sealed is graph.ErrDamaged, so threads that were
// stored without this package cannot be read with it.
package sealed
