package sqlite

import (
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/index/inverted"
)

// Segments are merged when so many of about the same size stand side by side, so that their number grows with the logarithm
// of the passages, and each passage's terms are written about as often.
const (
	mergeWidth = 8
	// smallSegment is the number of passages up to which segments count as equal in size.
	smallSegment = 512
	// largeSegment is the number of passages from which on a segment is not merged any more, so that no change waits long.
	largeSegment = 128 << 10
)

// updateSegments makes a segment of what was added, marks what was removed, and merges what has to be.
func (a *applier) updateSegments() error {
	if a.added.Docs() > 0 {
		if err := a.writeSegment(a.added.Write); err != nil {
			return err
		}
	}
	if a.added.Docs() == 0 && len(a.removed) == 0 {
		return nil
	}
	rows, err := segmentRows(a.ctx, a.tx)
	if err != nil {
		return err
	}
	if err := a.markDead(rows); err != nil {
		return err
	}
	for {
		from, to := mergeable(rows)
		if from == to {
			return nil
		}
		if err := a.mergeSegments(rows[from:to]); err != nil {
			return err
		}
		if rows, err = segmentRows(a.ctx, a.tx); err != nil {
			return err
		}
	}
}

// writeSegment keeps what write makes as a new segment; nothing when it makes none.
func (a *applier) writeSegment(write func(inverted.Put) (inverted.Meta, error)) error {
	id := a.exec(`INSERT INTO index_segments (first, last, docs, living, tokens) VALUES (0, 0, 0, 0, 0)`)
	blob := a.prepare(`INSERT INTO index_blobs (id, data) VALUES (?, ?)`)
	if a.err != nil {
		return a.err
	}
	meta, err := write(func(number int, data []byte) error {
		if number >= 1<<blobBits {
			return fmt.Errorf("sqlite: a segment of more than %d blobs", number)
		}
		a.run(blob, id<<blobBits|int64(number), data)
		return a.err
	})
	if err != nil {
		return err
	}
	if meta.Docs == 0 {
		a.exec(`DELETE FROM index_segments WHERE id = ?`, id)
		return a.err
	}
	a.exec(`UPDATE index_segments SET first = ?, last = ?, docs = ?, living = ?, tokens = ? WHERE id = ?`,
		meta.First, meta.Last, meta.Docs, meta.Docs, meta.Tokens, id)
	return a.err
}

// markDead marks the removed passages in rows, and in the table.
func (a *applier) markDead(rows []segmentRow) error {
	slices.Sort(a.removed)
	for i := range rows {
		row := &rows[i]
		from, _ := slices.BinarySearch(a.removed, row.first)
		to, _ := slices.BinarySearch(a.removed, row.last+1)
		if from == to {
			continue
		}
		s, err := openSegment(a.ctx, a.tx, *row)
		if err != nil {
			return err
		}
		for _, key := range a.removed[from:to] {
			ordinal, found := s.Ordinal(key)
			if !found {
				return fmt.Errorf("%w: passage %d is in no segment", inverted.ErrCorrupt, key)
			}
			var isNew bool
			if row.dead, isNew = inverted.SetDead(row.dead, ordinal); isNew {
				row.living--
				row.tokens -= int64(s.Length(ordinal))
			}
		}
		a.exec(`UPDATE index_segments SET living = ?, tokens = ?, dead = ? WHERE id = ?`, row.living, row.tokens, row.dead, row.id)
	}
	return a.err
}

// mergeable returns the first rows to be merged into one; from == to when there are none. A segment that is dead by half is
// written anew alone.
func mergeable(rows []segmentRow) (from, to int) {
	for i, row := range rows {
		if 2*row.living <= row.docs {
			return i, i + 1
		}
	}
	for limit := smallSegment; limit < mergeWidth*largeSegment; limit *= mergeWidth {
		for from := 0; from < len(rows); from++ {
			to := from
			for to < len(rows) && rows[to].living < min(limit, largeSegment) {
				to++
			}
			if to-from >= mergeWidth {
				return from, to
			}
			from = to
		}
	}
	return 0, 0
}

// mergeSegments puts one segment in the place of rows.
func (a *applier) mergeSegments(rows []segmentRow) error {
	parts := make([]inverted.Part, len(rows))
	for i, row := range rows {
		s, err := openSegment(a.ctx, a.tx, row)
		if err != nil {
			return err
		}
		parts[i] = inverted.Part{Segment: s, Dead: row.dead, Load: loadBlobs(a.tx, row.id)}
	}
	err := a.writeSegment(func(put inverted.Put) (inverted.Meta, error) { return inverted.Merge(a.ctx, parts, put) })
	if err != nil {
		return err
	}
	for _, row := range rows {
		a.exec(`DELETE FROM index_blobs WHERE id >= ? AND id < ?`, row.id<<blobBits, (row.id+1)<<blobBits)
		a.exec(`DELETE FROM index_segments WHERE id = ?`, row.id)
	}
	return a.err
}
