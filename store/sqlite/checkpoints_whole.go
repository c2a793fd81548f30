package sqlite

import (
	"context"
	"errors"

	"github.com/kbagent/kbagent/graph"
)

// Copy implements graph.Store.
func (c *Checkpoints) Copy(ctx context.Context, from, to string) error {
	return errors.ErrUnsupported
}

// Trim implements graph.Store.
func (c *Checkpoints) Trim(ctx context.Context, thread string, cut graph.Cut) error {
	return errors.ErrUnsupported
}
