package postgres_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

// A cable carries connections to the server until it is cut.
type cable struct {
	net.Listener
	closed sync.RWMutex // for new connections, while it is locked
	mu     sync.Mutex
	conns  []net.Conn
}

// throughCable is the URL of the server at the other end.
func throughCable(t *testing.T, url string) (string, *cable) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cable{Listener: l}
	server := strings.Split(strings.Split(url, "@")[1], "/")[0]
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			c.closed.RLock()
			far, err := net.Dial("tcp", server)
			c.closed.RUnlock()
			if !assert.NoError(t, err) {
				return
			}
			c.mu.Lock()
			c.conns = append(c.conns, near, far)
			c.mu.Unlock()
			wg.Go(func() { io.Copy(near, far); near.Close() })
			wg.Go(func() { io.Copy(far, near); far.Close() })
		}
	})
	t.Cleanup(func() { l.Close(); c.cut(); wg.Wait() })
	return strings.Replace(url, server, l.Addr().String(), 1), c
}

func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		conn.Close()
	}
}

// losesReplies lets what was sent arrive and nothing come back, and holds up new connections until mend is called: with one
// the driver asks the server to cancel what it has lost the reply of.
func (c *cable) losesReplies(t *testing.T) (mend func()) {
	c.closed.Lock()
	mend = sync.OnceFunc(c.closed.Unlock)
	t.Cleanup(mend)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := 0; i < len(c.conns); i += 2 { // the near ends
		require.NoError(t, c.conns[i].(*net.TCPConn).CloseWrite())
	}
	return mend
}

// waitForWaiter returns when a statement of the schema waits for a lock, and the process of the server that waits.
func waitForWaiter(t *testing.T, beside *pgx.Conn, statement string) (pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		err := beside.QueryRow(t.Context(), `SELECT coalesce(max(pid), 0) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1`, statement).Scan(&pid)
		require.NoError(t, err)
		return pid > 0
	}, time.Minute, time.Millisecond)
	return pid
}

// waitForEnd returns when that process of the server is gone: a lock that is free goes to whoever comes first, and not to
// who waited longest, so only then is it settled what the process did.
func waitForEnd(t *testing.T, beside *pgx.Conn, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var n int
		require.NoError(t, beside.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE pid = $1`, pid).Scan(&n))
		return n == 0
	}, time.Minute, time.Millisecond)
}

func TestACommitWhoseConnectionBreaksSaysThatItMayBeStoredAndATryAgainTells(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	cabled, cable := throughCable(t, url)
	store := openAt(t, cabled, postgres.Options{Schema: schema}).Checkpoints()
	fence := commitOne(t, store, "t")
	blocker := session(t, url, schema)
	_, err := blocker.Exec(t.Context(), `BEGIN; SELECT 1 FROM graph_threads FOR UPDATE`)
	require.NoError(t, err)
	entry := []graph.Entry{{Seq: 2, Data: []byte("b")}}
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() { failed = store.Commit(t.Context(), "t", fence, entry) })
	beside := session(t, url, schema)
	pid := waitForWaiter(t, beside, "%INSERT INTO graph_entries%")
	mend := cable.losesReplies(t)
	wg.Wait()
	require.ErrorIs(t, failed, postgres.ErrReplyLost)
	_, err = blocker.Exec(t.Context(), `ROLLBACK`) // the server goes on, and notices only when it wants to answer
	require.NoError(t, err)
	waitForEnd(t, beside, pid)
	mend()
	require.ErrorIs(t, store.Commit(t.Context(), "t", fence, entry), graph.ErrSequence)
	rec, err := store.Load(t.Context(), "t")
	require.NoError(t, err)
	require.EqualValues(t, 2, rec.Seq())
}

func TestACommitThatIsCancelledOnItsWaySaysThatItMayBeStored(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	store := openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()
	fence := commitOne(t, store, "t")
	blocker := session(t, url, schema)
	_, err := blocker.Exec(t.Context(), `BEGIN; SELECT 1 FROM graph_threads FOR UPDATE`)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() { failed = store.Commit(ctx, "t", fence, []graph.Entry{{Seq: 2, Data: []byte("b")}}) })
	waitForWaiter(t, session(t, url, schema), "%INSERT INTO graph_entries%")
	cancel()
	wg.Wait()
	require.ErrorIs(t, failed, postgres.ErrReplyLost)
	require.ErrorIs(t, failed, context.Canceled)
}

func TestWhoFindsNoFreeConnectionIsToldSo(t *testing.T) {
	store := open(t, postgres.Options{MaxConns: 1, Timeout: time.Second}).Checkpoints()
	commitOne(t, store, "t")
	for _, err := range store.Log(t.Context(), "t", 0) {
		require.NoError(t, err)
		_, err = store.Load(context.WithoutCancel(t.Context()), "t")
		require.ErrorIs(t, err, postgres.ErrTimeout)
		require.ErrorContains(t, err, "no connection for it (of 1)")
	}
	commitOne(t, store, "after the loop")
}

// The rows of a commit that a deletion waits for go, too.
func TestADeletionDuringCommitsLeavesNothingBehind(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	store := openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()
	for i := range 50 {
		id := fmt.Sprint(i)
		fence := commitOne(t, store, id)
		var wg sync.WaitGroup
		wg.Go(func() {
			for seq := int64(2); ; seq++ {
				err := store.Commit(t.Context(), id, fence, []graph.Entry{{Seq: seq, Data: []byte("x"), Snapshot: []byte("y")}})
				if err == nil {
					err = store.Pend(t.Context(), id, fence, []graph.PendingWrite{{Seq: seq + 1, Key: "k"}})
				}
				if err != nil {
					assert.ErrorIs(t, err, graph.ErrFenced)
					return
				}
			}
		})
		require.NoError(t, store.Delete(t.Context(), id))
		wg.Wait()
	}
	var left int
	err := session(t, url, schema).QueryRow(t.Context(), `SELECT (SELECT count(*) FROM graph_entries) + (SELECT count(*) FROM graph_snapshots)
		+ (SELECT count(*) FROM graph_pending) + (SELECT count(*) FROM graph_threads)`).Scan(&left)
	require.NoError(t, err)
	require.Zero(t, left)
}

func TestOfManyCopiesToOneThreadOneIsMade(t *testing.T) {
	store := open(t, postgres.Options{}).Checkpoints()
	commitOne(t, store, "from")
	for round := range 20 {
		var (
			wg     sync.WaitGroup
			copies [8]error
		)
		to := fmt.Sprint("to ", round)
		for i := range copies {
			wg.Go(func() {
				if i%2 == 0 {
					_, err := store.Claim(t.Context(), to) // comes between the steps of a copy
					assert.NoError(t, err)
				}
				copies[i] = store.Copy(t.Context(), "from", to)
			})
		}
		wg.Wait()
		made := 0
		for _, err := range copies {
			if err == nil {
				made++
			} else {
				require.ErrorIs(t, err, graph.ErrThreadExists)
			}
		}
		require.Equal(t, 1, made)
		rec, err := store.Load(t.Context(), to)
		require.NoError(t, err)
		require.Len(t, rec.Log, 1)
	}
}
