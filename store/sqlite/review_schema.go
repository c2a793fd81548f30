package sqlite

// reviewSchema keeps each entry whole, as package review encodes it. The columns beside it are what entries are chosen and
// ordered by; they follow data with every change. Times are microseconds since 1970.
var reviewSchema = part{name: "review", migrations: []string{`
CREATE TABLE review_entries (
	id       TEXT    PRIMARY KEY,
	run      BLOB    NOT NULL UNIQUE, -- review.RunKey: one entry for each run
	status   TEXT    NOT NULL,
	priority TEXT    NOT NULL,
	rank     INTEGER NOT NULL, -- of the priority
	deadline INTEGER NOT NULL,
	open     INTEGER NOT NULL, -- whether it is not decided
	settled  INTEGER NOT NULL, -- whether everything that follows a decision was done
	data     TEXT    NOT NULL
) WITHOUT ROWID;
CREATE INDEX review_entries_order ON review_entries (rank, deadline, id);
CREATE INDEX review_entries_unsettled ON review_entries (settled) WHERE open = 0 AND settled = 0;
CREATE TABLE review_notices (
	entry      TEXT    NOT NULL REFERENCES review_entries (id),
	channel    TEXT    NOT NULL,
	attempts   INTEGER NOT NULL,
	due        INTEGER NOT NULL,
	taken      INTEGER NOT NULL, -- until when somebody has it, 0 for nobody
	sent       INTEGER NOT NULL, -- 0: not yet
	dropped    TEXT    NOT NULL,
	last_error TEXT    NOT NULL,
	PRIMARY KEY (entry, channel)
) WITHOUT ROWID;
CREATE INDEX review_notices_open ON review_notices (channel, due) WHERE sent = 0 AND dropped = '';
`}}

func init() { parts = append(parts, reviewSchema) }
