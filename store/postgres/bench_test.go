package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

const benchWorkers = 16

// BenchmarkCommit compares commits of 1 KB by 16 workers, each on a thread of its own, with their floor: the three fenced
// statements by hand, on 16 connections. Both on servers that wait for the disk (durable) and that do not:
//
//	go test -run '^$' -bench Commit -count 10 ./store/postgres
func BenchmarkCommit(b *testing.B) {
	for _, durable := range []bool{true, false} {
		name := map[bool]string{true: "durable", false: "no fsync"}[durable]
		b.Run(name+"/floor", func(b *testing.B) { benchFloor(b, pgtest.New(b, pgtest.Options{Durable: durable}).URL()) })
		b.Run(name+"/store", func(b *testing.B) { benchStore(b, pgtest.New(b, pgtest.Options{Durable: durable}).URL()) })
	}
}

// inParallel shares b.N calls out to the workers; each has a thread and counts its commits.
func inParallel(b *testing.B, commit func(worker int, seq int64) error) {
	var left atomic.Int64
	var wg sync.WaitGroup
	left.Store(int64(b.N))
	b.ResetTimer()
	for w := range benchWorkers {
		wg.Go(func() {
			for seq := int64(1); left.Add(-1) >= 0; seq++ {
				if err := commit(w, seq); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
	b.ReportMetric(0, "ns/op")
}

func benchStore(b *testing.B, url string) {
	store := openAt(b, url, postgres.Options{MaxConns: benchWorkers}).Checkpoints()
	fences := make([]int64, benchWorkers)
	for w := range fences {
		fence, err := store.Claim(b.Context(), fmt.Sprintf("%d %d", b.N, w))
		require.NoError(b, err)
		fences[w] = fence
	}
	data := make([]byte, 1024)
	inParallel(b, func(w int, seq int64) error {
		return store.Commit(b.Context(), fmt.Sprintf("%d %d", b.N, w), fences[w], []graph.Entry{{Seq: seq, Data: data}})
	})
}

// benchFloor is what one would write first: lock the head of the thread and check the fence, insert, move the head.
func benchFloor(b *testing.B, url string) {
	ctx := b.Context()
	config, err := pgxpool.ParseConfig(url)
	require.NoError(b, err)
	config.MaxConns = benchWorkers
	pool, err := pgxpool.NewWithConfig(ctx, config)
	require.NoError(b, err)
	b.Cleanup(pool.Close)
	_, err = pool.Exec(ctx, `DROP TABLE IF EXISTS head, entry;
		CREATE TABLE head (thread text PRIMARY KEY, fence bigint NOT NULL, seq bigint NOT NULL);
		CREATE TABLE entry (thread text, seq bigint, data bytea NOT NULL, PRIMARY KEY (thread, seq))`)
	require.NoError(b, err)
	for w := range benchWorkers {
		_, err := pool.Exec(ctx, `INSERT INTO head VALUES ($1, 1, 0)`, fmt.Sprint("thread ", w))
		require.NoError(b, err)
	}
	data := make([]byte, 1024)
	inParallel(b, func(w int, seq int64) error {
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return threeStatements(ctx, tx, fmt.Sprint("thread ", w), seq, data) })
	})
}

func threeStatements(ctx context.Context, tx pgx.Tx, thread string, seq int64, data []byte) error {
	var fence int64
	if err := tx.QueryRow(ctx, `SELECT fence FROM head WHERE thread = $1 FOR UPDATE`, thread).Scan(&fence); err != nil {
		return err
	}
	if fence != 1 {
		return graph.ErrFenced
	}
	if _, err := tx.Exec(ctx, `INSERT INTO entry VALUES ($1, $2, $3)`, thread, seq, data); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE head SET seq = $2 WHERE thread = $1`, thread, seq)
	return err
}
