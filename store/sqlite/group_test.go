package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// A jam is a store whose connection for writing is taken, so that all its callers queue up.
type jam struct {
	t      *testing.T
	path   string
	db     *DB
	store  *Checkpoints
	fences map[string]int64
	held   *sql.Conn
	wg     sync.WaitGroup
}

// jammed runs a test in a bubble, on a store with one claimed thread for each name.
func jammed(t *testing.T, threads []string, test func(*testing.T, *jam)) {
	synctest.Test(t, func(t *testing.T) {
		j := &jam{t: t, path: filepath.Join(t.TempDir(), "kb.db"), fences: map[string]int64{}}
		var err error
		j.db, err = Open(t.Context(), j.path, Options{})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, j.db.Close()) })
		j.store = j.db.Checkpoints()
		for _, thread := range threads {
			j.fences[thread], err = j.store.Claim(t.Context(), thread)
			require.NoError(t, err)
		}
		j.held, err = j.db.write.Conn(t.Context())
		require.NoError(t, err)
		test(t, j)
	})
}

// queue makes a call on a goroutine of its own and returns when it waits. Its error may be read after release.
func (j *jam) queue(call func() error) *error {
	err := new(error)
	j.wg.Go(func() { *err = call() })
	synctest.Wait()
	return err
}

// commit queues a commit.
func (j *jam) commit(ctx context.Context, thread string, seq int64, data string) *error {
	return j.queue(func() error {
		return j.store.Commit(ctx, thread, j.fences[thread], []graph.Entry{{Seq: seq, Data: []byte(data)}})
	})
}

// release lets the callers write, and waits for them.
func (j *jam) release() {
	require.NoError(j.t, j.held.Close())
	j.wg.Wait()
}

func (j *jam) log(thread string) string {
	all := ""
	for e, err := range j.store.Log(j.t.Context(), thread, 0) {
		require.NoError(j.t, err)
		all += string(e.Data)
	}
	return all
}

func TestAWaiterWhoseContextEndsLeavesTheQueueAndHasChangedNothing(t *testing.T) {
	jammed(t, []string{"a", "b", "c"}, func(t *testing.T, j *jam) {
		ctx, cancel := context.WithCancel(t.Context())
		first, left, last := j.commit(t.Context(), "a", 1, "a"), j.commit(ctx, "b", 1, "b"), j.commit(t.Context(), "c", 1, "c")
		cancel()
		synctest.Wait()
		require.ErrorIs(t, *left, context.Canceled, "it does not wait for the connection")
		j.release()
		require.NoError(t, errors.Join(*first, *last))
		require.Equal(t, []string{"a", "", "c"}, []string{j.log("a"), j.log("b"), j.log("c")})
	})
}

func TestALeaderWhoseContextEndsHandsTheLeadOver(t *testing.T) {
	jammed(t, []string{"a", "b"}, func(t *testing.T, j *jam) {
		ctx, cancel := context.WithCancel(t.Context())
		leader, follower := j.commit(ctx, "a", 1, "a"), j.commit(t.Context(), "b", 1, "b")
		cancel()
		synctest.Wait()
		require.ErrorIs(t, *leader, context.Canceled)
		j.release()
		require.NoError(t, *follower)
		require.Equal(t, []string{"", "b"}, []string{j.log("a"), j.log("b")})
	})
}

func TestARefusedRequestConcernsNobodyElseOfItsGroup(t *testing.T) {
	jammed(t, []string{"a", "b", "c"}, func(t *testing.T, j *jam) {
		first := j.commit(t.Context(), "a", 1, "a")
		ahead := j.commit(t.Context(), "b", 3, "b")
		claim := j.queue(func() error { _, err := j.store.Claim(t.Context(), "c"); return err })
		fenced := j.commit(t.Context(), "c", 1, "c")
		missing := j.queue(func() error { return j.store.Copy(t.Context(), "nobody", "d") })
		second := j.commit(t.Context(), "a", 2, "A")
		copied := j.queue(func() error { return j.store.Copy(t.Context(), "a", "e") })
		deleted := j.queue(func() error { return j.store.Delete(t.Context(), "a") })
		gone := j.commit(t.Context(), "a", 3, "!")
		j.release()
		require.NoError(t, errors.Join(*first, *claim, *second, *copied, *deleted))
		require.ErrorIs(t, *ahead, graph.ErrSequence)
		require.ErrorIs(t, *fenced, graph.ErrFenced)
		require.ErrorIs(t, *missing, graph.ErrNoThread)
		require.ErrorIs(t, *gone, graph.ErrFenced)
		require.Equal(t, []string{"", "", "", "aA"}, []string{j.log("a"), j.log("b"), j.log("c"), j.log("e")})
	})
}

// A trigger makes one commit fail in the database, once so that the transaction could go on, once so that it is undone.
func TestAFailureOfOneRequestDoesNotFailTheOthersOfItsGroup(t *testing.T) {
	for _, how := range []string{"ABORT", "ROLLBACK"} {
		t.Run(how, func(t *testing.T) {
			threads := []string{"a", "b", "c", "d"}
			jammed(t, threads, func(t *testing.T, j *jam) {
				_, err := j.held.ExecContext(t.Context(), `CREATE TRIGGER trip BEFORE INSERT ON graph_log WHEN new.data = x'6321'
					BEGIN SELECT RAISE(`+how+`, 'tripped'); END`)
				require.NoError(t, err)
				errs := map[string]*error{}
				for seq := range int64(2) {
					for _, thread := range threads {
						errs[fmt.Sprint(thread, seq)] = j.commit(t.Context(), thread, seq+1, thread+string("?!"[seq]))
					}
				}
				j.release()
				for name, err := range errs {
					if name == "c1" {
						require.ErrorContains(t, *err, "tripped")
					} else {
						require.NoError(t, *err, name)
					}
				}
				require.Equal(t, []string{"a?a!", "b?b!", "c?", "d?d!"}, []string{j.log("a"), j.log("b"), j.log("c"), j.log("d")})
				c := j.commit(t.Context(), "c", 2, "cc")
				j.wg.Wait()
				require.NoError(t, *c, "the connection is usable")
			})
		})
	}
}

func TestMoreRequestsThanAGroupHoldsAreAllWritten(t *testing.T) {
	jammed(t, []string{"a"}, func(t *testing.T, j *jam) {
		var errs []*error
		for i := range 2*maxGroup + 10 {
			errs = append(errs, j.commit(t.Context(), "a", int64(i+1), "x"))
		}
		j.release()
		for i, err := range errs {
			require.NoError(t, *err, "commit %d", i)
		}
		require.Len(t, j.log("a"), len(errs))
	})
}

func TestLargeRequestsAreSpreadOverGroups(t *testing.T) {
	jammed(t, []string{"a"}, func(t *testing.T, j *jam) {
		var errs []*error
		for i := range 5 {
			errs = append(errs, j.commit(t.Context(), "a", int64(i+1), string(make([]byte, maxGroupBytes/2))))
		}
		j.release()
		for _, err := range errs {
			require.NoError(t, *err)
		}
		require.Len(t, j.log("a"), 5*maxGroupBytes/2)
	})
}

func TestClosingTheFileAnswersAllThatWait(t *testing.T) {
	jammed(t, []string{"a", "b", "c"}, func(t *testing.T, j *jam) {
		var errs []*error
		for _, thread := range []string{"a", "b", "c"} {
			errs = append(errs, j.commit(t.Context(), thread, 1, thread))
		}
		require.NoError(t, j.db.Close())
		synctest.Wait()
		for _, err := range errs {
			require.ErrorContains(t, *err, "closed")
		}
		require.NoError(t, j.held.Close())
		again, err := Open(t.Context(), j.path, Options{})
		require.NoError(t, err)
		for range again.Checkpoints().Threads(t.Context()) {
			t.Fatal("something was written")
		}
		require.NoError(t, again.Close())
	})
}

func TestAFileThatAnotherProcessKeepsLockedFailsAllWhoWaitTogether(t *testing.T) {
	threads := []string{"a", "b", "c", "d"}
	jammed(t, threads, func(t *testing.T, j *jam) {
		_, err := j.held.ExecContext(t.Context(), `PRAGMA busy_timeout = 0`) // instead of ten seconds
		require.NoError(t, err)
		other, err := Open(t.Context(), j.path, Options{})
		require.NoError(t, err)
		defer other.Close()
		lock, err := other.write.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		var errs []*error
		for _, thread := range threads {
			errs = append(errs, j.commit(t.Context(), thread, 1, thread))
		}
		j.release()
		for _, err := range errs {
			require.ErrorContains(t, *err, "another process keeps writing")
			require.Same(t, *errs[0], *err, "nobody waits for the lock again after having waited for it")
		}
		require.NoError(t, lock.Rollback())
		again := j.commit(t.Context(), "a", 1, "a")
		j.wg.Wait()
		require.NoError(t, *again)
	})
}
