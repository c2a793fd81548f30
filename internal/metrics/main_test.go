package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kbagent/kbagent/nodes"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)

// said is a line of the run r of the thread t.
func said(action string, pairs ...any) nodes.Line {
	d := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		d[pairs[i].(string)] = pairs[i+1]
	}
	return nodes.Line{Time: noon, Thread: "t", Run: "r", Action: action, Details: d}
}

// move is a line about a move of the machine, at a time after noon.
func move(from, to string, after time.Duration) nodes.Line {
	l := said(nodes.AuditTransition, "from", from, "to", to)
	l.Time = noon.Add(after)
	return l
}

// told is a collector that has seen the lines.
func told(t testing.TB, lines ...nodes.Line) *Collector {
	t.Helper()
	c := New(Options{})
	for _, l := range lines {
		require.NoError(t, c.Record(l))
	}
	return c
}

// samples are the lines of the exposition, without comments, buckets and the count of audit lines.
func samples(t testing.TB, c *Collector) []string {
	t.Helper()
	list := []string{}
	for line := range strings.Lines(exposition(t, c)) {
		if !strings.HasPrefix(line, "#") && !strings.Contains(line, "_bucket{") && !strings.HasPrefix(line, "kbagent_audit_lines_total") {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

func exposition(t testing.TB, c *Collector) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, c.WriteText(&b))
	return b.String()
}
