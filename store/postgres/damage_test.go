package postgres_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

func TestADamagedRowIsReportedByItsName(t *testing.T) {
	for _, c := range []struct {
		damage string
		seq    int64
		row    string
	}{
		{`UPDATE graph_entries SET data = 'rubbish' WHERE seq = 2`, 2, "entry"},
		{`DELETE FROM graph_entries WHERE seq = 1`, 2, "entry"},
		{`UPDATE graph_pending SET data = ''`, 3, "pending write good"},
		{`INSERT INTO graph_snapshots SELECT no, 2, '{"v":1' FROM graph_threads`, 2, "snapshot"},
	} {
		t.Run(c.row, func(t *testing.T) {
			url, schema := pgtest.Start(t), newSchema()
			thread := halfway(t).Thread("t", graph.WithStore(openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()))
			_, err := thread.Invoke(t.Context(), nil)
			require.ErrorContains(t, err, "no")
			tag, err := session(t, url, schema).Exec(t.Context(), c.damage)
			require.NoError(t, err)
			require.EqualValues(t, 1, tag.RowsAffected())
			_, err = thread.Resume(t.Context())
			row, ok := errors.AsType[*graph.RowError](err)
			require.True(t, ok, "%v", err)
			require.ErrorIs(t, err, graph.ErrDamaged)
			require.Equal(t, []any{"t", c.seq, c.row}, []any{row.Thread, row.Seq, row.Row})
		})
	}
}
