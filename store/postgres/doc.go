// Package postgres keeps threads in PostgreSQL (13 or later; tested with 15), for several processes that work on the same threads.
// It implements the contracts of graph and imports nothing else of the project.
//
// # Safety
//
// A claim writes a fence, a number that only grows, into the row of its thread; every write of a run is one statement that
// holds only while that fence is in place. So a process that was stopped, cut off or declared dead by mistake can wake up
// at any time: its next write changes nothing and returns graph.ErrFenced. No clock takes part in this.
//
// Leases are for finding the threads of a process that died; they run on the clock of the database. A lease that ran out
// takes nothing away from whoever holds the claim: it makes [Checkpoints.TakeAbandoned] hand the thread to somebody else,
// whose claim does.
//
// Claim, Commit, Pend, Renew and Release are one round trip each and never leave a lock with the client: a process that is
// stopped in the middle of one holds up nobody.
//
// # What a commit survives
//
// The settings of the server decide. With its defaults (fsync and synchronous_commit on) that is a power loss. A parameter
// of the URL changes it for the connections of one program: "?synchronous_commit=off" gives up the last moments before a
// crash of the server for speed. A claim waits for the disk all the same: its fence must not be given again.
//
// # Servers between
//
// Connections carry settings and prepared statements. A pooler in front of the server must keep a client on its connection
// (PgBouncer: pool_mode=session); [Checkpoints.Watch] needs that anyway.
package postgres
