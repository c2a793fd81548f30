package metrics

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const goodLine = `{"time":"2026-05-06T12:00:00Z","thread":"t","run":"r","step":1,"action":"plan","details":{}}`

func TestALogIsReadLineByLine(t *testing.T) {
	late := strings.Replace(goodLine, "12:00:00Z", "12:00:00.5Z", 1)
	for _, c := range []struct {
		name, log string
		filter    Filter
		want      Tally
	}{
		{"an empty log has no lines", "", Filter{}, Tally{}},
		{"a line needs no end", goodLine, Filter{}, Tally{Lines: 1}},
		{"empty lines are none", "\n\n" + goodLine + "\r\n\n", Filter{}, Tally{Lines: 1}},
		{"a line that was cut is damaged, and so is what is no audit line", "{\"time\":\"20\n[]\nnull\n{}\n{\"action\":\"plan\"}\n\x00\xff\n" + goodLine + "\n", Filter{},
			Tally{Lines: 1, Damaged: 6}},
		{"a line without end is not kept in memory", strings.Repeat("x", maxLine+1) + "\n" + goodLine + "\n", Filter{}, Tally{Lines: 1, Damaged: 1}},
		{"a long line is a line", `{"note":"` + strings.Repeat("x", 1<<20) + `",` + goodLine[1:] + "\n", Filter{}, Tally{Lines: 1}},
		{"lines before the first moment are left out", goodLine + "\n" + late + "\n", Filter{Since: noon.Add(time.Nanosecond)}, Tally{Lines: 1, Skipped: 1}},
		{"the first moment itself counts", goodLine + "\n", Filter{Since: noon}, Tally{Lines: 1}},
		{"lines of other threads are left out", goodLine + "\n", Filter{Thread: "other"}, Tally{Skipped: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			collector := New(Options{})
			tally, err := Read(t.Context(), strings.NewReader(c.log), c.filter, collector)
			require.NoError(t, err)
			assert.Equal(t, c.want, tally)
			r, err := collector.Report()
			require.NoError(t, err)
			assert.Equal(t, c.want.Lines == 0, r.From.IsZero())
		})
	}
}

func TestAReportKnowsTheTimeThatItCovers(t *testing.T) {
	r, err := told(t, move("A", "B", time.Minute), move("A", "B", 0), move("A", "B", time.Second)).Report()
	require.NoError(t, err)
	assert.Equal(t, noon, r.From)
	assert.Equal(t, noon.Add(time.Minute), r.To)
}

var errDisk = errors.New("the disk is gone")

func TestALogThatCannotBeReadFurtherIsAnErrorWithWhatWasRead(t *testing.T) {
	tally, err := Read(t.Context(), io.MultiReader(strings.NewReader(goodLine+"\n"), broken{}), Filter{}, New(Options{}))
	assert.ErrorIs(t, err, errDisk)
	assert.Equal(t, Tally{Lines: 1}, tally)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errDisk }

func TestReadingStopsWhenItIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errDisk)
	_, err := Read(ctx, strings.NewReader(goodLine), Filter{}, New(Options{}))
	assert.ErrorIs(t, err, errDisk)
}
