package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 25 on random graphs: whatever the process was doing when its store failed for good, before or after it has
// taken effect, the next process goes on behind what was stored, and every state on the way is that of an undisturbed run.
func TestAnyGraphEndsWhereItWouldHaveHoweverOftenItCrashes(t *testing.T) {
	setChecks(t, "600")
	const horizon = 20 // some graphs never end
	ended, crashes, calls := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w, app := drawWorld(t)
		if app == nil {
			return
		}
		m := newModel(w.shape)
		want := []trail{m.state} // by step
		for m.left = nil; len(m.next) > 0 && m.step < horizon+8; {
			if complete, _ := m.run(); complete {
				m.commit()
				want = append(want, m.state)
			}
			for _, id := range m.ids() {
				for _, key := range slices.Clone(m.open[id]) {
					m.answer(id, key)
				}
			}
		}
		store := graph.NewMemoryStore()
		durability := drawDurability(t)
		for n := range 200 {
			head, err := app.Thread("t", graph.WithStore(store)).Head(t.Context())
			require.NoError(t, err)
			if head.Done || head.Exists && len(head.Next) == 0 || head.Step > horizon {
				ended++
				return
			}
			at := rapid.IntRange(1, 25).Draw(t, "crash at")
			if n > 25 {
				at = 1000 // enough
			}
			faulty := graphtest.CrashAt(store, at, rapid.SampledFrom([]graphtest.Verdict{graphtest.FailBefore, graphtest.FailAfter}).Draw(t, "when"))
			thread := app.Thread("t", graph.WithStore(faulty), durability)
			opts := append(answersTo(t, head.Interrupts, min(1, len(head.Interrupts)), func(string, string) {}),
				graph.MaxSteps(rapid.IntRange(1, 8).Draw(t, "limit")), graph.MaxConcurrency(rapid.IntRange(1, 8).Draw(t, "at once")))
			saved, seen := savedTasks(t, store), len(w.journal.Runs())
			var res graph.Result[trail]
			if head.Exists {
				res, err = thread.Resume(t.Context(), opts...)
			} else {
				res, err = thread.Invoke(t.Context(), step{}, opts...)
			}
			if err == nil && len(res.Interrupts) == 0 {
				require.Equal(t, want[len(want)-1], res.State)
			}
			if errors.Is(err, graphtest.ErrInjected) {
				crashes++
			}
			for _, run := range w.journal.Runs()[seen:] {
				require.NotContains(t, saved, fmt.Sprintf("%d/%s", run.Step, run.Task), "it was saved, and ran again")
			}
			head, err = app.Thread("t", graph.WithStore(store)).Head(t.Context())
			require.NoError(t, err)
			if head.Exists {
				require.Equal(t, want[head.Step], head.State, "after step %d", head.Step)
			}
			calls++
		}
		require.Fail(t, "it has not come to its end")
	})
	t.Logf("%d calls, %d of them failed; %d threads came to their end", calls, crashes, ended)
	require.NotZero(t, ended)
	require.NotZero(t, crashes)
}

// savedTasks lists the tasks whose result is stored: "step/task".
func savedTasks(t require.TestingT, store graph.Store) []string {
	var list []string
	add := func(data []byte) {
		var row struct {
			Kind   string
			Step   int
			Task   string
			Writes []struct{ Task string }
		}
		require.NoError(t, json.Unmarshal(data, &row))
		switch row.Kind {
		case "pending":
			list = append(list, fmt.Sprintf("%d/%s", row.Step, row.Task))
		case "step":
			for _, write := range row.Writes {
				list = append(list, fmt.Sprintf("%d/%s", row.Step, write.Task))
			}
		}
	}
	for e, err := range store.Log(context.Background(), "t", 0) {
		require.NoError(t, err)
		add(e.Data)
	}
	rec, err := store.Load(context.Background(), "t")
	require.NoError(t, err)
	for _, w := range rec.Pending {
		add(w.Data)
	}
	return list
}
