package postgres

// checkpointSchema is what package graph stores. A thread's row is its lock: whoever writes anything of the thread
// holds the row first, exclusively or, for pending writes, together with others.
//
// The rows of threads change with every commit, in columns without an index, so that the new version stays on its page
// (fillfactor leaves room for it). Payloads are kept as they come: compressing them is the codec's decision, and
// encrypted ones would not shrink.
var checkpointSchema = part{name: "checkpoints", migrations: []string{`
CREATE SEQUENCE graph_fences; -- over all threads, deleted ones too; without a cache, so that numbers are given in order
CREATE TABLE graph_threads (
	no          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- never given twice
	thread      bytea       NOT NULL UNIQUE,
	fence       bigint      NOT NULL, -- of the last claim
	seq         bigint      NOT NULL DEFAULT 0, -- of the last entry
	lease_until timestamptz, -- null: nobody works on the thread
	reserved    boolean     NOT NULL DEFAULT false -- the lease is that of TakeAbandoned, not of a claim
) WITH (fillfactor = 70);
CREATE INDEX graph_threads_lease ON graph_threads (lease_until) WHERE lease_until IS NOT NULL;
CREATE TABLE graph_entries (
	no   bigint NOT NULL,
	seq  bigint NOT NULL,
	data bytea  NOT NULL,
	PRIMARY KEY (no, seq)
);
CREATE TABLE graph_snapshots (
	no   bigint PRIMARY KEY,
	seq  bigint NOT NULL,
	data bytea  NOT NULL
) WITH (toast.autovacuum_vacuum_scale_factor = 0.05); -- every snapshot leaves its predecessor behind
CREATE TABLE graph_pending (
	no   bigint NOT NULL,
	seq  bigint NOT NULL, -- of the entry that the step will become
	key  bytea  NOT NULL,
	data bytea  NOT NULL
);
CREATE UNIQUE INDEX graph_pending_key ON graph_pending (no, sha256(key)); -- keys may be longer than an index allows
ALTER TABLE graph_entries ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE graph_snapshots ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE graph_pending ALTER COLUMN data SET STORAGE EXTERNAL;
`}}
