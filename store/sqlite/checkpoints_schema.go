package sqlite

// checkpointSchema keeps the entries of all threads in one table, in the order in which they came. Each points to the one
// before it of its thread, and the thread to its last one. So whatever is committed, by however many threads, goes to the
// end of one B-tree: a group of 64 commits writes the pages that their bytes fill, not 64 pages, and a row of a few
// kilobytes still shares its page. The price is paid where a log is read: by following it from its end.
//
// A thread's last entry is its newest row among the last rows of graph_log, their number being the tail of the very last
// one; when none of them belongs to the thread, it is the one that graph_threads says. So a commit touches one B-tree only,
// and the heads of many threads are written at once, every maxTail rows.
//
// A pending write counts as long as its seq is that of the next entry, so settling it is a matter of space only: they are
// deleted by the entry that finds more than maxSettled bytes of them, and a step that repeats writes over the old ones.
//
// Of two rows of graph_log the newer one has the greater id. A row never moves.
var checkpointSchema = part{name: "checkpoints", migrations: []string{`
CREATE TABLE graph_threads (
	no     INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
	thread TEXT    NOT NULL UNIQUE,
	fence  INTEGER NOT NULL
);
CREATE TABLE graph_fence (last INTEGER NOT NULL); -- one row: fences grow over all threads, deleted ones too
INSERT INTO graph_fence VALUES (0);
CREATE TABLE graph_entries (
	id   INTEGER PRIMARY KEY, -- no<<32 | seq
	data BLOB NOT NULL
);
CREATE TABLE graph_snapshots (
	no   INTEGER PRIMARY KEY,
	seq  INTEGER NOT NULL,
	data BLOB NOT NULL
);
CREATE TABLE graph_pending (
	no   INTEGER NOT NULL,
	task TEXT    NOT NULL,
	seq  INTEGER NOT NULL,
	data BLOB    NOT NULL,
	PRIMARY KEY (no, task)
);`, `
CREATE TABLE graph_log (
	id   INTEGER PRIMARY KEY, -- in the order of arrival, over all threads
	no   INTEGER NOT NULL,
	seq  INTEGER NOT NULL,
	prev INTEGER NOT NULL,    -- id of the thread's entry before this one, 0 when it is the first one kept
	tail INTEGER NOT NULL,    -- rows up to this one that graph_threads may not know of
	data BLOB    NOT NULL
);
INSERT INTO graph_log SELECT row_number() OVER byThread, id >> 32, id & 4294967295,
	CASE WHEN lag(id >> 32) OVER byThread = id >> 32 THEN row_number() OVER byThread - 1 ELSE 0 END, 0, data
	FROM graph_entries WINDOW byThread AS (ORDER BY id);
DROP TABLE graph_entries;
ALTER TABLE graph_threads ADD COLUMN head INTEGER NOT NULL DEFAULT 0; -- id of the last entry, but see tail
ALTER TABLE graph_threads ADD COLUMN seq  INTEGER NOT NULL DEFAULT 0; -- its number
UPDATE graph_threads SET head = last.id, seq = last.seq
	FROM (SELECT no, max(id) AS id, max(seq) AS seq FROM graph_log GROUP BY no) AS last WHERE last.no = graph_threads.no;
ALTER TABLE graph_pending RENAME TO graph_pending_1;
CREATE TABLE graph_pending (
	no   INTEGER NOT NULL,
	key  TEXT    NOT NULL,
	seq  INTEGER NOT NULL,
	data BLOB    NOT NULL,
	PRIMARY KEY (no, key)
) WITHOUT ROWID;
INSERT INTO graph_pending SELECT no, task, seq, data FROM graph_pending_1;
DROP TABLE graph_pending_1;`}}

// maxTail is how many rows a tail has before the heads in it are recorded. It bounds what a reader looks through for a head.
const maxTail = 256

// afterTail is the id of the last row that is not in the tail, NULL when there is no row.
const afterTail = `(SELECT id - tail FROM graph_log ORDER BY id DESC LIMIT 1)`
