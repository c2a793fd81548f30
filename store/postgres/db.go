package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options tunes [Open]. The zero value works.
type Options struct {
	// Schema is the schema that holds the tables; Open creates it. 1 to 63 bytes, not pg_… or $user; "" is "kbagent".
	Schema string
	// Lease is how long a claim or a renewal lasts (at least 10ms, in steps of a microsecond); 0 is 30 seconds.
	// Runs renew at a third of it. All processes on one schema should have the same.
	Lease time.Duration
	// Timeout bounds every call but those of sequences and changes of the index, where it bounds each statement (at least 1ms); 0 is
	// 30 seconds.
	// The server gives up then, and with it the call: [ErrTimeout]. Five seconds later the client gives up by itself.
	Timeout time.Duration
	// MaxConns is the most connections at once, one per writer at work; 0 is what the URL says as pool_max_conns, else 16.
	// [Checkpoints.Watch] takes another one each.
	MaxConns int
}

// grace is what the client waits longer than the server, so that the server's answer wins: it says what has become
// of the statement.
const grace = 5 * time.Second

// withDefaults checks and completes o.
func (o Options) withDefaults() (Options, error) {
	if o.Schema == "" {
		o.Schema = "kbagent"
	}
	if o.Lease == 0 {
		o.Lease = 30 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	switch {
	case len(o.Schema) > 63 || strings.ContainsRune(o.Schema, 0):
		return o, fmt.Errorf("postgres: schema %q: a name has 1 to 63 bytes and no NUL", o.Schema)
	case strings.HasPrefix(o.Schema, "pg_"):
		return o, fmt.Errorf("postgres: schema %q: names with pg_ belong to the server", o.Schema)
	case o.Schema == "$user": // in a search path it is the schema of the user's name, whatever the quotes
		return o, fmt.Errorf("postgres: schema %q: PostgreSQL takes it for that of the user's name", o.Schema)
	case o.Lease < 10*time.Millisecond:
		return o, fmt.Errorf("postgres: a lease of %v is too short: 10ms at least", o.Lease)
	case o.Timeout < time.Millisecond:
		return o, fmt.Errorf("postgres: a timeout of %v is too short: 1ms at least", o.Timeout)
	case o.MaxConns < 0 || o.MaxConns > 1<<15:
		return o, fmt.Errorf("postgres: %d connections: 0 to %d", o.MaxConns, 1<<15)
	}
	return o, nil
}

// DB is a pool of connections to one schema of one database.
// It is safe for concurrent use by any number of goroutines and processes.
type DB struct {
	pool *pgxpool.Pool
	conn *pgx.ConnConfig // for connections beside the pool
	opts Options

	reserved reservations
}

// Open connects to the server at url ("postgres://user:password@host:5432/database", or "host=… user=…" words), creates the
// schema when it is missing and brings it up to date; only one of several processes does so. It returns [ErrUnreachable] when no server
// answers, and [ErrNewerSchema] for tables of a later version. No error of this package contains the password.
func Open(ctx context.Context, url string, opts Options) (*DB, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	config, err := parse(url, opts)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(ctx), config)
	if err != nil {
		return nil, explain(err)
	}
	db := &DB{pool: pool, conn: config.ConnConfig, opts: opts}
	if err := db.migrate(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return db, nil
}

// Close waits for running calls and closes all connections. Its error is always nil.
func (db *DB) Close() error {
	db.pool.Close()
	return nil
}

// parse reads the URL.
func parse(url string, opts Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("postgres: the database URL cannot be used: " + mask(url, err.Error()))
	}
	if opts.MaxConns > 0 {
		config.MaxConns = int32(opts.MaxConns)
	} else if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = 16
	}
	set := config.ConnConfig.RuntimeParams
	set["search_path"] = pgx.Identifier{opts.Schema}.Sanitize()
	set["statement_timeout"] = strconv.FormatInt(max(1, opts.Timeout.Milliseconds()), 10)
	if set["application_name"] == "" {
		set["application_name"] = "kbagent"
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = opts.Timeout + grace
	}
	return config, nil
}

// bound gives a call its own end; the engine's contexts have none.
func (db *DB) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, db.opts.Timeout+grace, ErrTimeout)
}
