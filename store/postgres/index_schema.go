package postgres

// indexSchema is the index's share of the schema.
//
// What comes out of files is bytea: PostgreSQL's text cannot hold every byte, and bytea is ordered like Go's strings. A file's
// text is kept once, cut up: each passage's content with the bytes before it since the passage before (gap), and what follows the
// last one (tail). index_terms holds how often each passage holds each term; with the sums in index_state that is all that BM25
// needs. Ids come from sequences and are never used again, so that a matrix of vectors in memory can never name a wrong passage.
var indexSchema = part{name: "index", migrations: []string{`
CREATE TABLE index_state (
	one      boolean PRIMARY KEY DEFAULT true CHECK (one),
	version  bigint NOT NULL DEFAULT 0,
	stamp    text   NOT NULL DEFAULT gen_random_uuid()::text,
	passages bigint NOT NULL DEFAULT 0,
	tokens   bigint NOT NULL DEFAULT 0 -- terms of all passages
);
INSERT INTO index_state DEFAULT VALUES;
CREATE TABLE index_roots (root bytea PRIMARY KEY);
CREATE TABLE index_notes (root bytea, path bytea, text bytea NOT NULL, PRIMARY KEY (root, path));
CREATE TABLE index_files (
	id bigserial PRIMARY KEY,
	root bytea NOT NULL, path bytea NOT NULL, title bytea NOT NULL,
	size bigint NOT NULL, lines bigint NOT NULL, passages bigint NOT NULL,
	hash bytea NOT NULL, recipe text NOT NULL, named boolean NOT NULL,
	tail bytea NOT NULL,
	UNIQUE (root, path)
);
CREATE TABLE index_passages (
	id bigserial PRIMARY KEY,
	file bigint NOT NULL REFERENCES index_files ON DELETE CASCADE,
	passage_id text NOT NULL, section bytea NOT NULL, language text NOT NULL,
	start_line bigint NOT NULL, end_line bigint NOT NULL,
	start_byte bigint NOT NULL, end_byte bigint NOT NULL,
	digest bytea NOT NULL, gap bytea NOT NULL, content bytea NOT NULL,
	length bigint NOT NULL -- terms
);
CREATE INDEX index_passages_file ON index_passages (file, start_byte);
CREATE INDEX index_passages_digest ON index_passages (digest);
CREATE TABLE index_terms (
	term bytea, passage bigint REFERENCES index_passages ON DELETE CASCADE, count bigint NOT NULL,
	PRIMARY KEY (term, passage)
);
CREATE INDEX index_terms_passage ON index_terms (passage);
CREATE TABLE index_vectors (model text, digest bytea, vector bytea NOT NULL, PRIMARY KEY (model, digest));
ALTER TABLE index_vectors ALTER vector SET STORAGE EXTERNAL; -- floats do not compress
`}}

func init() { parts = append(parts, indexSchema) }
