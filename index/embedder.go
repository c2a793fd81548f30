package index

import (
	"context"
	"errors"
	"fmt"
)

// An Embedder turns texts into vectors. It must be safe for concurrent use.
type Embedder interface {
	// Embed returns one vector per text, in order, all of one length. They need not be normalised. An error with a method
	// Refused() bool that returns true says that the texts themselves are the reason, one being too long for instance: then they
	// are sent in smaller parts, and of a single text its begin.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names the model; vectors of two models are never compared.
	Model() string
}

// ErrNoEmbedder reports a vector search on an index that was opened without an embedder.
var ErrNoEmbedder = errors.New("vector search needs an embedding model: configure one and update the index")

// ErrNoVectors reports a vector search on an index that holds passages but no vector of the embedder's model.
// [*ModelChangedError] matches it too.
var ErrNoVectors = errors.New("the index has no vectors of this embedding model: update the index")

// ModelChangedError reports that the index was embedded with other models than the open one.
// The next [Index.Update] embeds everything anew.
type ModelChangedError struct {
	Want string // the open embedder's model
	Have string // the model with most vectors in the index
}

func (e *ModelChangedError) Error() string {
	return fmt.Sprintf("the index was embedded with %q, not with %q: update the index to embed it anew", e.Have, e.Want)
}

// Is makes errors.Is(err, ErrNoVectors) hold.
func (e *ModelChangedError) Is(target error) bool { return target == ErrNoVectors }
