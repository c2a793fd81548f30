package graphtest

import (
	"testing"

	"github.com/kbagent/kbagent/graph"
)

// Store checks that a store keeps the contract of graph.Store; each check is a subtest. open must return a fresh, empty
// store each time and close it with t.Cleanup. Some checks write 10 MB, and some write from many goroutines at once.
func Store(t *testing.T, open func(t *testing.T) graph.Store) {
	for _, c := range storeChecks {
		t.Run(c.name, func(t *testing.T) {
			c.run(&storeTest{TB: t, store: open(t)})
		})
	}
}

// A storeCheck is one sentence of the contract. It gets a store of its own.
type storeCheck struct {
	name string
	run  func(*storeTest)
}

var storeChecks = []storeCheck{
	// Entries and snapshots.
	{"A thread that does not exist loads empty", (*storeTest).missing},
	{"Entries come back in order, byte for byte", (*storeTest).entries},
	{"Several entries go in one commit, and the last snapshot of them counts", (*storeTest).batch},
	{"An entry that is not the next one is refused", (*storeTest).sequence},
	{"A commit of several entries is all or nothing", (*storeTest).batchWhole},
	{"A snapshot replaces the older one and shortens the load, not the log", (*storeTest).snapshots},
	{"A store keeps copies of what it is given and gives copies away", (*storeTest).copies},
	{"Thread ids and bytes of any kind are kept apart", (*storeTest).oddIDs},
	{"Ten megabytes survive as entry, as snapshot and as pending write", (*storeTest).large},
	{"A sequence can be left early and ranged over again", (*storeTest).leaving},
	{"A cancelled context changes nothing", (*storeTest).cancelled},

	// Pending writes.
	{"Pending writes last until an entry settles them", (*storeTest).pending},
	{"Pending writes that no entry settled are not those of the entry that follows", (*storeTest).unsettled},
	{"An entry in the middle of a commit settles the pending writes", (*storeTest).settlesInTheMiddle},
	{"Several pending writes are saved at once, all or none", (*storeTest).pendWhole},
	{"Keys of pending writes are any bytes, in bytewise order", (*storeTest).oddKeys},

	// Claims.
	{"A claim alone does not make a thread", (*storeTest).claimOnly},
	{"A later claim fences the earlier writer off", (*storeTest).fencing},
	{"The fence of another thread writes nothing", (*storeTest).foreignFence},
	{"Saving no pending writes says whether the claim stands, and nothing else", (*storeTest).checkClaim},
	{"A fence is never given twice, not even after a deletion", (*storeTest).fenceAfterDelete},
	{"Claims that are made at once get different fences", (*storeTest).claimsAtOnce},
	{"Of many writers at once exactly one gets each entry", (*storeTest).contention},

	// Threads, children and deletion.
	{"Threads are listed in order of their ids", (*storeTest).list},
	{"A deleted thread is gone, and may begin again", (*storeTest).deletion},
	{"A child is a thread like any other, but is not listed", (*storeTest).children},
	{"Deletion takes children and leaves threads whose id merely begins alike", (*storeTest).deleteFamily},

	// Copies.
	{"A copy has log, snapshot, pending writes and children", (*storeTest).copyFamily},
	{"A copy leaves threads whose id merely begins alike", (*storeTest).copyNeighbours},
	{"A copy and its original go separate ways", (*storeTest).copyIndependent},
	{"A thread without an entry cannot be copied", (*storeTest).copyMissing},
	{"A copy never replaces a thread, nor the children of one", (*storeTest).copyOnto},
	{"A claim on the original outlives a copy, one on the target does not", (*storeTest).copyClaims},
	{"A copy is of one moment, children included, while a writer commits", (*storeTest).copyMoment},

	// Trims.
	{"A trim replaces the first entry that stays and removes those before it", (*storeTest).trim},
	{"A trim drops entries in the middle", (*storeTest).trimMiddle},
	{"A trim removes a snapshot of an earlier entry and no other", (*storeTest).trimSnapshots},
	{"A trim keeps claim, pending writes and the numbers that follow", (*storeTest).trimGoesOn},
	{"A trim of a log that is not what the caller read changes nothing", (*storeTest).trimConflicts},
	{"A trim touches no other thread", (*storeTest).trimNeighbours},
	{"Of two trims of one entry exactly one comes through", (*storeTest).trimRace},
	{"Trims and commits do not disturb each other", (*storeTest).trimWhileWriting},
	{"A trimmed thread can be copied", (*storeTest).trimThenCopy},

	// Many at once.
	{"Many threads written at once keep their own order", (*storeTest).manyThreads},
	{"What is read while others write is sorted and holds what was there before", (*storeTest).readWhileWriting},
}
