package postgres

// reviewSchema keeps each entry whole, as package review encodes it. The columns beside it are what entries are chosen and
// ordered by; they follow data with every change. Times are microseconds since 1970, as in the other stores.
var reviewSchema = part{name: "review", migrations: []string{`
CREATE TABLE review_entries (
	id       text     COLLATE "C" PRIMARY KEY,
	run      bytea    NOT NULL UNIQUE, -- review.RunKey: one entry for each run
	status   text     NOT NULL,
	priority text     NOT NULL,
	rank     smallint NOT NULL, -- of the priority
	deadline bigint   NOT NULL,
	open     boolean  NOT NULL, -- whether it is not decided
	settled  boolean  NOT NULL, -- whether everything that follows a decision was done
	data     text     NOT NULL
);
CREATE INDEX review_entries_order ON review_entries (rank, deadline, id);
CREATE INDEX review_entries_unsettled ON review_entries (id) WHERE NOT open AND NOT settled;
CREATE TABLE review_notices (
	entry      text   COLLATE "C" NOT NULL REFERENCES review_entries (id),
	channel    text   COLLATE "C" NOT NULL,
	attempts   int    NOT NULL,
	due        bigint NOT NULL,
	taken      bigint NOT NULL, -- until when somebody has it, 0 for nobody
	sent       bigint NOT NULL, -- 0: not yet
	dropped    text   NOT NULL,
	last_error text   NOT NULL,
	PRIMARY KEY (entry, channel)
);
CREATE INDEX review_notices_open ON review_notices (channel, due) WHERE sent = 0 AND dropped = '';
`}}

func init() { parts = append(parts, reviewSchema) }
