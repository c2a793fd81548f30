package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// maxEmbedFailures is how many calls in a row may fail before an update stops asking the embedder.
const maxEmbedFailures = 3

// embed gives every passage without a vector one, batch by batch, and drops vectors that nobody needs any more.
func (u *updater) embed(ctx context.Context) error {
	model := u.embedder.Model()
	counts, err := u.store.Counts(ctx)
	if err != nil {
		return err
	}
	e := embedRun{updater: u, model: model, dim: counts.Vectors[model].Dim,
		total: counts.Passages - counts.Vectors[model].Passages, failed: map[FileKey]error{}}
	if err := e.all(ctx); err != nil {
		return err
	}
	if e.reportFailures(); len(e.failed) > 0 {
		return nil // old vectors may still serve until all new ones are there
	}
	if e.done < e.total { // equal passages that one vector served
		u.tell(Progress{Phase: PhaseEmbed, Done: e.total, Total: e.total})
	}
	if err := u.store.Apply(ctx, Change{Prune: model}); err != nil {
		return err
	}
	if keepShare*e.done < counts.Passages {
		return nil // a few new vectors are not worth reading and writing all
	}
	return u.vectors.keep(ctx, u.store, model)
}

// keepShare: an update that embeds at least one passage in so many writes the file of the vectors anew; after a smaller one the first
// search does.
const keepShare = 10

// embedRun is the state of one update's embedding.
type embedRun struct {
	*updater
	model       string
	dim         int // of the model's vectors so far, 0 when there are none
	done, total int
	failed      map[FileKey]error
	failures    int // calls that failed in a row
	last        error
	restarted   bool // once, because the model's vectors got another length
}

func (e *embedRun) all(ctx context.Context) error {
	for after := int64(0); ; {
		waiting, err := e.store.Unembedded(ctx, e.model, after, e.opts.EmbedBatch)
		if err != nil || len(waiting) == 0 {
			return err
		}
		vectors := e.vectorsFor(ctx, waiting)
		if err := ctx.Err(); err != nil {
			return err
		}
		change := Change{Vectors: vectors}
		if n := len(vectors); n > 0 && e.dim != 0 && e.dim != len(vectors[0].Values) {
			if e.restarted {
				return fmt.Errorf("the embedding model %q gives vectors of %d and of %d values", e.model, e.dim, len(vectors[0].Values))
			}
			e.restarted = true
			change.DropVectors, after = e.model, -1 // the model changed under its name: all over again
			e.done, e.total = 0, e.total+e.done
		}
		if err := e.store.Apply(ctx, change); err != nil {
			return err
		}
		if len(vectors) > 0 {
			e.dim = len(vectors[0].Values)
		}
		if after < 0 {
			after = 0
			continue
		}
		after = waiting[len(waiting)-1].Key
		e.done += len(waiting)
		e.tell(Progress{Phase: PhaseEmbed, Done: e.done, Total: max(e.done, e.total)})
	}
}

// vectorsFor embeds the different texts of a batch; when that fails, in smaller parts, so that one bad text costs only itself.
func (e *embedRun) vectorsFor(ctx context.Context, waiting []Unembedded) []Vector {
	texts := make(map[Digest]string, len(waiting))
	var order []Digest
	for _, w := range waiting {
		if _, ok := texts[w.Digest]; !ok {
			order = append(order, w.Digest)
			texts[w.Digest] = EmbeddedText(w.Passage)
		}
	}
	vectors := map[Digest][]float32{}
	e.embedParts(ctx, order, texts, vectors)
	if ctx.Err() != nil {
		return nil
	}
	for _, w := range waiting {
		if _, ok := vectors[w.Digest]; !ok {
			e.failed[FileKey{w.Passage.Root, w.Passage.Path}] = e.last
		}
	}
	out := make([]Vector, 0, len(vectors))
	for _, d := range order {
		if v, ok := vectors[d]; ok {
			out = append(out, Vector{Model: e.model, Digest: d, Values: v})
		}
	}
	return out
}

// embedParts embeds the texts with these digests into vectors: all at once; when the embedder refuses them, in halves, down to
// the text that it refuses, of which the begin has to do; when it fails otherwise, one by one.
func (e *embedRun) embedParts(ctx context.Context, digests []Digest, texts map[Digest]string, vectors map[Digest][]float32) {
	err := e.ask(ctx, digests, texts, vectors)
	switch n := len(digests); {
	case err == nil || ctx.Err() != nil:
	case n == 1 && refused(err):
		e.embedBegin(ctx, digests[0], texts, vectors)
	case n > 1 && refused(err):
		e.embedParts(ctx, digests[:n/2], texts, vectors)
		e.embedParts(ctx, digests[n/2:], texts, vectors)
	case n > 1:
		for _, d := range digests {
			e.embedParts(ctx, []Digest{d}, texts, vectors)
		}
	}
}

// embedBegin embeds the first half of a text that was refused, or the first quarter, down to minEmbedded bytes: models refuse
// texts that are too long for them, and the begin of a passage, under its title and section, says most of what it is about.
func (e *embedRun) embedBegin(ctx context.Context, d Digest, texts map[Digest]string, vectors map[Digest][]float32) {
	whole := texts[d]
	defer func() { texts[d] = whole }()
	for n := len(whole) / 2; n >= minEmbedded && ctx.Err() == nil; n /= 2 {
		texts[d] = strings.ToValidUTF8(whole[:n], "")
		if err := e.ask(ctx, []Digest{d}, texts, vectors); err == nil || !refused(err) {
			return
		}
	}
	e.failures++ // what refuses a few words refuses everything
}

// minEmbedded is how many bytes of a text are worth a vector.
const minEmbedded = 100

// refused reports an embedder that has looked at the texts and will not take them, however often it is asked.
func refused(err error) bool {
	var r interface{ Refused() bool }
	return errors.As(err, &r) && r.Refused()
}

// ask embeds the texts with these digests into vectors. After maxEmbedFailures failures in a row, of which a refusal is none, it
// only repeats the last error.
func (e *embedRun) ask(ctx context.Context, digests []Digest, texts map[Digest]string, vectors map[Digest][]float32) error {
	if e.failures >= maxEmbedFailures {
		return e.last
	}
	batch := make([]string, len(digests))
	for i, d := range digests {
		batch[i] = texts[d]
	}
	got, err := embedNormal(ctx, e.embedder, batch)
	if err != nil {
		if e.last = err; !refused(err) {
			e.failures++
		}
		return err
	}
	e.failures = 0
	for i, d := range digests {
		vectors[d] = got[i]
	}
	return nil
}

// reportFailures moves the files without all vectors to the failed ones.
func (e *embedRun) reportFailures() {
	for _, key := range slices.SortedFunc(maps.Keys(e.failed), compareKeys) {
		status := e.status[key]
		if status == nil {
			status = &fileStatus{path: key.place()}
			e.status[key] = status
		}
		status.failure = fmt.Errorf("indexed for keyword search only, the embedding failed: %w", e.failed[key])
		e.report.Errors = append(e.report.Errors, FileError{status.path, status.failure.Error()})
	}
}

// embedNormal returns the texts' vectors with length 1, or an error when the embedder breaks its contract.
func embedNormal(ctx context.Context, embedder Embedder, texts []string) ([][]float32, error) {
	vectors, err := embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("the embedder gave %d vectors for %d texts", len(vectors), len(texts))
	}
	out := make([][]float32, len(vectors))
	for i, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("the embedder gave vectors of %d and of %d values", len(vectors[0]), len(v))
		}
		if out[i], err = normalised(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func normalised(v []float32) ([]float32, error) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil, errors.New("the embedder gave a vector without a direction (empty, zero, NaN or infinite)")
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / length)
	}
	return out, nil
}
