package postgres_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

func TestProcessesThatOpenANewSchemaAtOnceMigrateItOnce(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			db, err := postgres.Open(t.Context(), url, postgres.Options{Schema: schema})
			if assert.NoError(t, err) {
				assert.NoError(t, db.Close())
			}
		})
	}
	wg.Wait()
	store := openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()
	_, err := store.Claim(t.Context(), "t")
	require.NoError(t, err)
}

func TestSchemasDoNotSeeOneAnother(t *testing.T) {
	one, two := open(t, postgres.Options{}).Checkpoints(), open(t, postgres.Options{}).Checkpoints()
	commitOne(t, one, "t")
	rec, err := two.Load(t.Context(), "t")
	require.NoError(t, err)
	require.Zero(t, rec.Seq())
}

func TestASchemaOfALaterVersionIsRefused(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	openAt(t, url, postgres.Options{Schema: schema})
	_, err := session(t, url, schema).Exec(t.Context(), `UPDATE schema_parts SET version = version + 1`)
	require.NoError(t, err)
	_, err = postgres.Open(t.Context(), url, postgres.Options{Schema: schema})
	require.ErrorIs(t, err, postgres.ErrNewerSchema)
	require.ErrorContains(t, err, "checkpoints schema 2, this version knows 1")
}

func TestAUserWithoutRightsToCreateCanUseASchemaThatIsThere(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	openAt(t, url, postgres.Options{Schema: schema})
	admin := session(t, url, schema)
	clerk := strings.ReplaceAll(schema, " ", "_") // roles belong to the whole server
	_, err := admin.Exec(t.Context(), fmt.Sprintf(`CREATE ROLE %[2]s LOGIN PASSWORD 'clerk'; GRANT USAGE ON SCHEMA %[1]q TO %[2]s;
		GRANT ALL ON ALL TABLES IN SCHEMA %[1]q TO %[2]s; GRANT ALL ON ALL SEQUENCES IN SCHEMA %[1]q TO %[2]s`, schema, clerk))
	require.NoError(t, err)
	url = strings.Replace(url, "pgtest:"+pgtest.Password, clerk+":clerk", 1)
	commitOne(t, openAt(t, url, postgres.Options{Schema: schema}).Checkpoints(), "t")
	_, err = postgres.Open(t.Context(), url, postgres.Options{Schema: newSchema()})
	require.ErrorContains(t, err, "lacks a right")
}

func TestBadOptionsAreRefused(t *testing.T) {
	for want, opts := range map[string]postgres.Options{
		"schema":      {Schema: strings.Repeat("x", 64)},
		"pg_":         {Schema: "pg_mine"},
		"user's name": {Schema: "$user"},
		"lease":       {Lease: -1},
		"timeout":     {Timeout: time.Microsecond},
		"connections": {MaxConns: -1},
	} {
		_, err := postgres.Open(t.Context(), "postgres://127.0.0.1:1/db", opts)
		require.ErrorContains(t, err, want)
	}
}

func TestAServerThatIsNotThereIsAClearErrorWithoutThePassword(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	_, err = postgres.Open(t.Context(), "postgres://me:s3cret@"+l.Addr().String()+"/db?sslmode=disable", postgres.Options{})
	require.ErrorIs(t, err, postgres.ErrUnreachable)
	require.ErrorContains(t, err, l.Addr().String()+": is it running")
	requireNoSecret(t, err, "s3cret")
}

func TestNoErrorOfOpenContainsThePassword(t *testing.T) {
	server := strings.Split(strings.Split(pgtest.Start(t), "@")[1], "/")[0]
	for _, url := range []string{
		"postgres://me:s3cret@" + server + "/db?sslmode=disable",
		"postgres://me:s3cret@" + server + "/db?sslmode=nonsense",
		"postgres://me:s3cret@" + server + "/db?pool_max_conns=many",
		"postgres://me:s3cret@nowhere:port/db",
		"postgres://me:%zzs3cret@" + server + "/db",
		"postgres://me:s3cret@@[::1/db",
		"postgres://me:s3cret/%@" + server + "/db",
		"postgres://" + server + "/db?user=me&password=s3cret&sslmode=nonsense",
		"postgres://me@" + server + "/db?sslmode=nonsense&sslpassword=s3cret",
		"host=127.0.0.1 user=me password=s3cret sslmode=nonsense",
		"host=127.0.0.1 user=me password = 's3cret' sslmode=nonsense",
		"host=127.0.0.1 user=me password='s3cret",
		"me:s3cret@" + server,
		"s3cret://",
	} {
		_, err := postgres.Open(t.Context(), url, postgres.Options{})
		require.Error(t, err, url)
		if url != "s3cret://" { // which has no password
			requireNoSecret(t, err, "s3cret")
		}
	}
}

// requireNoSecret looks at the error and all that it wraps, in every form of printing.
func requireNoSecret(t *testing.T, err error, secret string) {
	t.Helper()
	for _, form := range []string{"%v", "%+v", "%#v"} {
		assert.NotContains(t, fmt.Sprintf(form, err), secret)
	}
	switch e := err.(type) { //nolint:errorlint // it walks the tree itself
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			requireNoSecret(t, err, secret)
		}
	case interface{ Unwrap() error }:
		if err := e.Unwrap(); err != nil {
			requireNoSecret(t, err, secret)
		}
	}
}

func TestAStatementThatWaitsTooLongIsAnErrorAndHasChangedNothing(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	fence := commitOne(t, openAt(t, url, postgres.Options{Schema: schema}).Checkpoints(), "t")
	store := openAt(t, url, postgres.Options{Schema: schema, Timeout: time.Second}).Checkpoints()
	blocker := session(t, url, schema)
	_, err := blocker.Exec(t.Context(), `BEGIN; SELECT 1 FROM graph_threads FOR UPDATE`)
	require.NoError(t, err)
	forever := context.WithoutCancel(t.Context()) // as the engine's commits are
	entry := []graph.Entry{{Seq: 2, Data: []byte("b")}}
	require.ErrorIs(t, store.Commit(forever, "t", fence, entry), postgres.ErrTimeout)
	_, err = store.Claim(forever, "t")
	require.ErrorIs(t, err, postgres.ErrTimeout)
	_, err = blocker.Exec(t.Context(), `ROLLBACK`)
	require.NoError(t, err)
	require.NoError(t, store.Commit(forever, "t", fence, entry), "neither the commit nor the claim has happened")
}

func TestAThreadIDThatNoIndexHoldsIsAClearError(t *testing.T) {
	store := open(t, postgres.Options{}).Checkpoints()
	random := make([]byte, 5000)
	for i := range random { // nothing that would compress
		random[i] = byte(i * i * 7 >> (i % 5))
	}
	_, err := store.Claim(t.Context(), string(random[:2600]))
	require.NoError(t, err)
	_, err = store.Claim(t.Context(), string(random))
	require.ErrorIs(t, err, postgres.ErrThreadTooLong)
	_, err = store.Claim(t.Context(), strings.Repeat("x", 2601))
	require.ErrorIs(t, err, postgres.ErrThreadTooLong, "the index holds it compressed; a notification may not")
	fence := commitOne(t, store, "t")
	require.ErrorIs(t, store.Copy(t.Context(), "t", strings.Repeat("x", 10_000)), postgres.ErrThreadTooLong, "it could not be deleted")
	write := graph.PendingWrite{Seq: 2, Key: string(random), Data: []byte("x")}
	require.NoError(t, store.Pend(t.Context(), "t", fence, []graph.PendingWrite{write, write}), "keys have no limit")
	rec, err := store.Load(t.Context(), "t")
	require.NoError(t, err)
	require.Equal(t, []graph.PendingWrite{write}, rec.Pending)
}

// commitOne claims a thread and gives it its first entry.
func commitOne(t testing.TB, store graph.Store, thread string) (fence int64) {
	t.Helper()
	fence, err := store.Claim(t.Context(), thread)
	require.NoError(t, err)
	require.NoError(t, store.Commit(t.Context(), thread, fence, []graph.Entry{{Seq: 1, Data: []byte("a")}}))
	return fence
}
