package postgres

import (
	"context"
	"encoding/base64"
	"fmt"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/kbagent/kbagent/graph"
)

// A ChangeKind says what has happened to a thread.
type ChangeKind string

// The kinds of changes.
const (
	Watching ChangeKind = "watching" // the first one of every loop: from here on nothing is missed; Thread is ""
	Claimed  ChangeKind = "claimed"  // a run has begun or gone on
	Released ChangeKind = "released" // a run has come to rest: it ended, failed or waits for an answer
	Deleted  ChangeKind = "deleted"  // the thread is gone, with its children
)

// A Change is one event of [Checkpoints.Watch].
type Change struct {
	Kind   ChangeKind
	Thread string
}

// Watch yields what happens to threads, in the order of the transactions, whichever process does it: claims, releases and
// deletions, not those of children. It does not yield commits: PostgreSQL sends notifications under a lock of the whole
// server, which commits of many threads at once would queue up for. It takes a connection beside the pool.
//
// The first change of every loop is [Watching]: what happens after it is yielded. Who needs to know what was before reads
// [Checkpoints.Threads] then. The loop ends with the first error, which is also how a lost connection shows; there is no
// reconnecting behind the caller's back, because changes would be missing. Range again, from Watching on, instead.
// A cancelled context ends the loop with its cause. A reader that is very slow (8 GB of changes behind, by default) makes
// the server refuse claims: hand changes on rather than work on them in the loop.
func (c *Checkpoints) Watch(ctx context.Context) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		conn, err := c.db.listen(ctx)
		if err != nil {
			yield(Change{}, err)
			return
		}
		defer func() {
			ctx, cancel := c.db.bound(context.WithoutCancel(ctx))
			defer cancel()
			conn.Close(ctx) //nolint:errcheck // nothing is lost with it
		}()
		if !yield(Change{Kind: Watching}, nil) {
			return
		}
		for {
			n, err := conn.WaitForNotification(ctx)
			switch {
			case ctx.Err() != nil:
				yield(Change{}, context.Cause(ctx))
				return
			case err != nil:
				yield(Change{}, fmt.Errorf("postgres: the connection that watches is lost: %w", explain(err)))
				return
			}
			change, err := readNotice(n.Payload)
			if !yield(change, err) || err != nil {
				return
			}
		}
	}
}

// listen opens a connection that hears of changes.
func (db *DB) listen(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := db.bound(ctx)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, db.conn.Copy())
	if err != nil {
		return nil, explain(err)
	}
	if _, err := conn.Exec(ctx, `LISTEN `+pgx.Identifier{db.opts.Schema}.Sanitize()); err != nil {
		conn.Close(ctx) //nolint:errcheck // the first error counts
		return nil, explain(err)
	}
	return conn, nil
}

// notice is the text of a notification, "" for a child. The channel is that of the schema's name.
func notice(kind ChangeKind, thread string) string {
	if strings.Contains(thread, graph.ChildMark) {
		return ""
	}
	return string(kind) + " " + base64.StdEncoding.EncodeToString([]byte(thread))
}

// readNotice is the reverse of notice.
func readNotice(text string) (Change, error) {
	kind, id, ok := strings.Cut(text, " ")
	thread, err := base64.StdEncoding.DecodeString(id)
	switch kind := ChangeKind(kind); kind {
	case Claimed, Released, Deleted:
		if ok && err == nil {
			return Change{kind, string(thread)}, nil
		}
	}
	return Change{}, fmt.Errorf("postgres: somebody else notifies on this channel: %q", text)
}
