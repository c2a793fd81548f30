package pgtest_test

import (
	"bufio"
	"context"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

// child makes the test binary be the process that TestAServerEndsWithAPanic… looks at.
const child = "PGTEST_PANICKING_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) == "" {
		goleak.VerifyTestMain(m)
		return
	}
	os.Exit(pgtest.Main(m))
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func TestAKilledServerComesBackWithWhatWasCommitted(t *testing.T) {
	c := pgtest.New(t, pgtest.Options{Durable: true})
	conn := connect(t, c.URL())
	var fsync string
	require.NoError(t, conn.QueryRow(t.Context(), `SHOW fsync`).Scan(&fsync))
	require.Equal(t, "on", fsync)
	_, err := conn.Exec(t.Context(), `CREATE TABLE kept (n int); INSERT INTO kept VALUES (42)`)
	require.NoError(t, err)
	c.Kill(t)
	_, err = pgx.Connect(t.Context(), c.URL())
	require.Error(t, err)
	c.Restart(t)
	var n int
	require.NoError(t, connect(t, c.URL()).QueryRow(t.Context(), `SELECT n FROM kept`).Scan(&n))
	require.Equal(t, 42, n)
}

func TestStartGivesOneServerToTheWholeProcess(t *testing.T) {
	if os.Getenv(child) == "" {
		t.Skip("starts a server that stays: run by TestAServerEndsWithAPanicOfItsProcess")
	}
	first := pgtest.Start(t)
	require.Equal(t, first, pgtest.Start(t))
	connect(t, first)
	os.Stdout.WriteString(first + "\n")
	go panic("what nothing recovers")
	<-t.Context().Done()
}

func TestAServerEndsWithAPanicOfItsProcess(t *testing.T) {
	pgtest.New(t, pgtest.Options{}) // or skip
	temp := t.TempDir()
	for dir := temp; dir != filepath.Dir(dir) && dir != os.TempDir(); dir = filepath.Dir(dir) {
		require.NoError(t, os.Chmod(dir, 0o777)) // the server may belong to another user
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStartGivesOneServerToTheWholeProcess$", "-test.v=false")
	cmd.Env = append(os.Environ(), child+"=1", "TMPDIR="+temp)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan(), "the child did not start its server")
	at, err := url.Parse(lines.Text())
	require.NoError(t, err)
	for lines.Scan() { // until it has gone
	}
	require.Error(t, cmd.Wait(), "the child was to panic")
	require.Eventually(t, func() bool {
		left, err := os.ReadDir(temp)
		require.NoError(t, err)
		conn, err := net.Dial("tcp", at.Host)
		if err == nil {
			conn.Close()
		}
		return err != nil && len(left) == 0
	}, time.Minute, 20*time.Millisecond, "the server or its folder is still there")
}
