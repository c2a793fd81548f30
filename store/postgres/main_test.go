package postgres_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var schemas atomic.Int64

// newSchema is a name that no other test has.
func newSchema() string { return fmt.Sprintf("test %d", schemas.Add(1)) }

// open opens a schema of its own.
func open(t testing.TB, opts postgres.Options) *postgres.DB {
	t.Helper()
	opts.Schema = newSchema()
	return openAt(t, pgtest.Start(t), opts)
}

// openAt opens a schema that others may have open too.
func openAt(t testing.TB, url string, opts postgres.Options) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// session is a connection beside a store, for what a store never does.
func session(t testing.TB, url, schema string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	config.RuntimeParams["search_path"] = pgx.Identifier{schema}.Sanitize()
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}
