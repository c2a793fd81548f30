package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/inverted"
)

// blobBits are the bits of an id in index_blobs that number the blobs of one segment.
const blobBits = 24

// A segmentRow is a row of index_segments.
type segmentRow struct {
	id, first, last int64
	docs, living    int
	tokens          int64 // of those that live
	dead            []byte
}

// segmentRows are all segments in order of their keys.
func segmentRows(ctx context.Context, tx *sql.Tx) (list []segmentRow, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, first, last, docs, living, tokens, dead FROM index_segments ORDER BY first`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s segmentRow
		if err := rows.Scan(&s.id, &s.first, &s.last, &s.docs, &s.living, &s.tokens, &s.dead); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

// loadBlobs returns the function that reads a segment's blobs within tx.
func loadBlobs(tx *sql.Tx, segment int64) inverted.Load {
	return func(ctx context.Context, numbers []int) ([][]byte, error) {
		ids := make([]int64, len(numbers))
		at := make(map[int64]int, len(numbers))
		for i, n := range numbers {
			ids[i] = segment<<blobBits | int64(n)
			at[ids[i]] = i
		}
		list, err := json.Marshal(ids)
		if err != nil {
			return nil, err
		}
		rows, err := tx.QueryContext(ctx, `SELECT id, data FROM index_blobs WHERE id IN (SELECT value FROM json_each(?))`, string(list))
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		blobs := make([][]byte, len(numbers))
		for rows.Next() {
			var id int64
			var data []byte
			if err := rows.Scan(&id, &data); err != nil {
				return nil, err
			}
			blobs[at[id]] = data
		}
		for i, b := range blobs {
			if b == nil && rows.Err() == nil {
				return nil, fmt.Errorf("%w: blob %d of segment %d is missing", inverted.ErrCorrupt, numbers[i], segment)
			}
		}
		return blobs, rows.Err()
	}
}

// openSegment reads the head of a segment.
func openSegment(ctx context.Context, tx *sql.Tx, row segmentRow) (*inverted.Segment, error) {
	blobs, err := loadBlobs(tx, row.id)(ctx, []int{inverted.HeadBlob, inverted.DirectoryBlob})
	if err != nil {
		return nil, err
	}
	s, err := inverted.Open(blobs[0], blobs[1])
	if err == nil && s.Docs() != row.docs {
		err = fmt.Errorf("%w: segment %d has %d documents, not %d", inverted.ErrCorrupt, row.id, s.Docs(), row.docs)
	}
	return s, err
}

// A segmentCache keeps the heads of the segments that the last search saw. Segments never change and committed ids are never
// used again, so that what it holds is right for every reader; a transaction that writes does not use it, since its own
// segments may be rolled back.
type segmentCache struct {
	mu   sync.Mutex
	open map[int64]*inverted.Segment
}

func (c *segmentCache) known() map[int64]*inverted.Segment {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}

// keep replaces what the cache holds. The map is not changed afterwards.
func (c *segmentCache) keep(open map[int64]*inverted.Segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = open
}

// lists are the segments of one version of the index.
type lists struct {
	parts []inverted.Part
	stats inverted.Stats
}

// lists opens the segments as tx, a reader, sees them. They are good until its end.
func (db *DB) lists(ctx context.Context, tx *sql.Tx) (l lists, err error) {
	rows, err := segmentRows(ctx, tx)
	if err != nil {
		return l, err
	}
	known := db.segments.known()
	open := make(map[int64]*inverted.Segment, len(rows))
	for _, row := range rows {
		s := known[row.id]
		if s == nil {
			if s, err = openSegment(ctx, tx, row); err != nil {
				return l, err
			}
		}
		open[row.id] = s
		l.parts = append(l.parts, inverted.Part{Segment: s, Dead: row.dead, Load: loadBlobs(tx, row.id)})
		l.stats.Docs += row.living
		l.stats.Tokens += row.tokens
	}
	if !maps.Equal(known, open) {
		db.segments.keep(open)
	}
	return l, nil
}

// removedKeys are the keys of a file's passages.
func removedKeys(ctx context.Context, tx *sql.Tx, key index.FileKey) (keys []int64, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT p.id FROM index_files f JOIN index_passages p ON p.file = f.id WHERE f.root = ? AND f.path = ?`, key.Root, key.Path)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var k int64
		if err := rows.Scan(&k); err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, rows.Err()
}
