package index

import (
	"context"
	"crypto/sha256"
	"fmt"
)

// A Text is a file's text as it was indexed: what the lines and bytes of its passages count.
type Text struct {
	File
	Content string
	// Converted says that Content is not what the file on disk holds: its format or encoding was another one.
	Converted bool
}

// Text returns the text of an indexed file by its root and path, as [Index.Files] returns them. It comes from the store, so
// that a converted file is not converted again, and a file that changed since is returned as all searches find it. A file
// that the index does not hold is an ErrNotIndexed.
func (x *Index) Text(ctx context.Context, root, path string) (Text, error) {
	takes, err := x.takes(ctx)
	if err != nil {
		return Text{}, err
	}
	s, found, err := x.store.Source(ctx, FileKey{root, path})
	if err != nil {
		return Text{}, fmt.Errorf("text of %s: %w", path, err)
	}
	if !found || takes != nil && !takes(s.key()) {
		return Text{}, fmt.Errorf("%s: %w", path, ErrNotIndexed)
	}
	return Text{File: s.File, Content: s.Text, Converted: s.Hash != sha256.Sum256([]byte(s.Text))}, nil
}
