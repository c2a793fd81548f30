// Package sqlite keeps threads and the index in one SQLite file, without cgo.
// It implements the contracts of graph and index and imports nothing else of the project.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	moderncsqlite "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/inverted"
)

// ErrDamaged reports a file that is not a usable SQLite database. The file is left as it is.
// It is index.ErrDamaged, by which the rest of the program knows it.
var ErrDamaged = index.ErrDamaged

// ErrNewerSchema reports a database written by a later version of kbagent.
var ErrNewerSchema = errors.New("database was written by a newer version of kbagent")

// Options tunes Open. The zero value is the safe default.
type Options struct {
	// Synchronous is SQLite's setting of what a commit survives:
	// "FULL" (default) a power loss, "NORMAL" a crash of the process.
	Synchronous string
	// Notice is told, in a sentence, what Open does to an older file that takes a while. Default nil: nobody is.
	Notice func(string)
}

// DB is one open database file: a single writer connection and two pools of readers.
// It is safe for concurrent use by any number of goroutines and processes.
type DB struct {
	path     string
	write    *sql.DB
	read     *sql.DB
	segments segmentCache
	loops    *sql.DB // for what callers range over: unlimited, since a loop holds its connection while its body may need others
}

// Open opens the file at path, creates it and its folder when missing, and brings its schema up to date.
// It returns ErrDamaged for a file that SQLite cannot read and ErrNewerSchema for one of a later version.
func Open(ctx context.Context, path string, opts Options) (*DB, error) {
	if opts.Synchronous == "" {
		opts.Synchronous = "FULL"
	}
	if opts.Synchronous != "FULL" && opts.Synchronous != "NORMAL" {
		return nil, fmt.Errorf("sqlite: synchronous must be FULL or NORMAL, not %q", opts.Synchronous)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("create the data directory: %w", err)
	}
	if err := createPrivate(path); err != nil {
		return nil, err
	}
	if opts.Notice == nil {
		opts.Notice = func(string) {}
	}
	db := &DB{path: path}
	var err error
	if db.write, err = connect(path, opts.Synchronous, "immediate", 1); err != nil {
		return nil, err
	}
	if db.read, err = connect(path, opts.Synchronous, "deferred", max(4, 2*runtime.NumCPU())); err != nil {
		return nil, errors.Join(err, db.write.Close())
	}
	if db.loops, err = connect(path, opts.Synchronous, "deferred", 0); err != nil {
		return nil, errors.Join(err, db.read.Close(), db.write.Close())
	}
	if err := db.migrate(ctx, opts.Notice); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// connect makes a pool of at most conns connections, all of which it keeps; 0 = any number, of which it keeps two.
func connect(path, synchronous, txlock string, conns int) (*sql.DB, error) {
	q := url.Values{"_txlock": {txlock}, "_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(" + synchronous + ")", "foreign_keys(1)",
	}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if conns > 0 {
		db.SetMaxOpenConns(conns)
		db.SetMaxIdleConns(conns)
	}
	return db, nil
}

// Path is the file that db was opened from.
func (db *DB) Path() string { return db.path }

// Check reads the whole file and returns ErrDamaged when it does not add up. It takes time in proportion to its size.
func (db *DB) Check(ctx context.Context) error {
	var verdict string
	if err := db.read.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&verdict); err != nil {
		return db.explain(err)
	}
	if verdict != "ok" {
		return fmt.Errorf("%s: %w: move it away and index again (%s)", db.path, ErrDamaged, verdict)
	}
	return nil
}

// Close waits for running statements and closes the file.
func (db *DB) Close() error { return errors.Join(db.loops.Close(), db.read.Close(), db.write.Close()) }

// A part is one package's share of the schema. Migrations are applied in order, once, and never change after a release.
type part struct {
	name       string
	migrations []string
	after      map[int]func(ctx context.Context, tx *sql.Tx, notice func(string)) error // what follows the migration with this number, from 1 on
}

var parts = []part{checkpointSchema, indexSchema}

// createPrivate makes the file, when it is missing, readable by its owner only: it holds conversations.
func createPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	return f.Close()
}

// current says whether all parts have their newest schema. A file without any, or one that cannot be read, is not
// current; what is wrong with it shows when it is written.
func (db *DB) current(ctx context.Context) bool {
	for _, p := range parts {
		var version int
		err := db.read.QueryRowContext(ctx, `SELECT version FROM schema_parts WHERE name = ?`, p.name).Scan(&version)
		if err != nil || version != len(p.migrations) {
			return false
		}
	}
	return true
}

func (db *DB) migrate(ctx context.Context, notice func(string)) error {
	if db.current(ctx) { // the usual case takes no lock from whoever writes at this moment
		return nil
	}
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return db.explain(err)
	}
	defer tx.Rollback() //nolint:errcheck // a no-op after Commit
	if _, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS schema_parts (name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID`); err != nil {
		return db.explain(err)
	}
	for _, p := range parts {
		var version int
		err := tx.QueryRowContext(ctx, `SELECT version FROM schema_parts WHERE name = ?`, p.name).Scan(&version)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return db.explain(err)
		}
		if version > len(p.migrations) {
			return fmt.Errorf("%s: %w (%s schema %d, this version knows %d): install the newer kbagent or use another data directory",
				db.path, ErrNewerSchema, p.name, version, len(p.migrations))
		}
		for ; version < len(p.migrations); version++ {
			if _, err := tx.ExecContext(ctx, p.migrations[version]); err != nil {
				return fmt.Errorf("schema %s step %d: %w", p.name, version+1, db.explain(err))
			}
			if after := p.after[version+1]; after != nil {
				if err := after(ctx, tx, notice); err != nil {
					return fmt.Errorf("schema %s step %d: %w", p.name, version+1, db.explain(err))
				}
			}
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO schema_parts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version`, p.name, version); err != nil {
			return db.explain(err)
		}
	}
	return db.explain(tx.Commit())
}

// explain turns SQLite's result codes for unreadable files into ErrDamaged, with the file's name; other errors pass through.
func (db *DB) explain(err error) error {
	if errors.Is(err, inverted.ErrCorrupt) {
		return fmt.Errorf("%s: %w: move it away and index again: %w", db.path, ErrDamaged, err)
	}
	var se *moderncsqlite.Error
	if !errors.As(err, &se) {
		return err
	}
	switch se.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%s: %w: move it away and index again: %w", db.path, ErrDamaged, err)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%s: cannot be opened for writing: check its permissions: %w", db.path, err)
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("%s: another process keeps writing to it: try again: %w", db.path, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("%s: the disk is full: %w", db.path, err)
	default:
		return err
	}
}
