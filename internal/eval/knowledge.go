package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/store/sqlite"
	"github.com/kbagent/kbagent/tools"
)

// A knowledge is a knowledge base made of a corpus for one set: a real index in a real file, without an embedder. The name
// of a passage's file is the id of its row.
type knowledge struct {
	dir   string // a folder of its own, removed by close
	db    *sqlite.DB
	index *index.Index
}

// corpusRoot is the root under which the rows of a corpus stand in the index.
const corpusRoot = "corpus"

// over is a measure that needs a knowledge base: fill makes it, and only what f does is timed.
func over(fill func(context.Context, *knowledge) error, f func(context.Context, *knowledge) (Result, error)) measure {
	return func(ctx context.Context) (r Result, err error) {
		k, err := newKnowledge(ctx)
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, k.close()) }()
		if err := fill(ctx, k); err != nil {
			return r, fmt.Errorf("index the corpus: %w", err)
		}
		started := time.Now()
		r, err = f(ctx, k)
		r.ElapsedMS = milliseconds(time.Since(started))
		return r, err
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func newKnowledge(ctx context.Context) (k *knowledge, err error) {
	k = new(knowledge)
	if k.dir, err = os.MkdirTemp("", "kbagent-eval-"); err != nil {
		return nil, fmt.Errorf("make a folder for the index: %w", err)
	}
	if k.db, err = sqlite.Open(ctx, filepath.Join(k.dir, "index.db"), sqlite.Options{Synchronous: "NORMAL"}); err != nil {
		return nil, errors.Join(err, os.RemoveAll(k.dir))
	}
	if k.index, err = index.Open(ctx, k.db.Index(), nil, index.Options{}); err != nil {
		return nil, errors.Join(err, k.close())
	}
	return k, nil
}

func (k *knowledge) close() error { return errors.Join(k.db.Close(), os.RemoveAll(k.dir)) }

// rows makes each row of a corpus one passage.
func (k *knowledge) rows(ctx context.Context, list []corpusRow) error {
	records := make([]index.Record, len(list))
	for i, r := range list {
		records[i] = r.record()
	}
	_, err := k.index.Put(ctx, corpusRoot, records)
	return err
}

// files writes the rows of a corpus as text files and indexes their folder, as a user does.
func (k *knowledge) files(ctx context.Context, list []corpusRow) error {
	folder := filepath.Join(k.dir, "files")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	for _, r := range list {
		if err := os.WriteFile(filepath.Join(folder, r.ID+".txt"), []byte(r.Text), 0o600); err != nil {
			return err
		}
	}
	report, err := k.index.Update(ctx, []string{folder}, index.UpdateOptions{})
	if err == nil && report.Files.Indexed != len(list) {
		err = fmt.Errorf("%d of %d documents were indexed", report.Files.Indexed, len(list))
	}
	return err
}

// without runs f over the knowledge base without one row.
func (k *knowledge) without(ctx context.Context, row corpusRow, f func() error) error {
	if err := k.db.Index().Apply(ctx, index.Change{Remove: []index.FileKey{{Root: corpusRoot, Path: row.ID}}}); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return k.rows(ctx, []corpusRow{row})
}

// search is the program's first search for a question without a model, given what it makes of the question.
func (k *knowledge) search(ctx context.Context, d nodes.RouteDecision, n int) ([]index.Hit, error) {
	return k.index.Hybrid(ctx, d.Query, d.Keywords, n)
}

// found is the evidence of that search, with how common the words of the question are.
func (k *knowledge) found(ctx context.Context, d nodes.RouteDecision, n int) ([]state.Evidence, rules.TermStats, error) {
	hits, err := k.search(ctx, d, n)
	if err != nil {
		return nil, rules.TermStats{}, err
	}
	items := make([]state.Evidence, len(hits))
	for i, h := range hits {
		items[i] = state.Evidence{
			ID: h.ID, Path: h.Path, Title: h.Title, Section: h.Section, Content: h.Content, StartByte: h.StartByte, EndByte: h.EndByte,
			RetrievalScore: h.Score, ScoreKind: state.ScoreKind(h.Kind), Language: h.Language,
		}
	}
	freq, passages, err := k.index.DocFreq(ctx, text.Terms(d.Query))
	return items, rules.TermStats{Passages: passages, DocFreq: freq}, err
}

// agent is the whole agent without a model over the knowledge base, with the settings of a fresh installation.
func (k *knowledge) agent() (*agent.Agent, error) {
	return agent.New(agent.Config{Nodes: nodes.Config{
		Library: agent.Library(k.index, false), Audit: nodes.Discard{}, Tools: tools.NewSet(tools.Local(k.index)...),
	}})
}
