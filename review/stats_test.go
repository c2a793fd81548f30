package review_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/review"
)

// verdict is a decided entry.
func verdict(confidence float64, status review.Status, took time.Duration) review.Entry {
	return review.Entry{
		Confidence: confidence, HasConfidence: true, Status: status, CreatedAt: start, DecidedAt: start.Add(took),
		Deadline: start.Add(time.Hour), SLAMet: new(took <= time.Hour),
	}
}

// verdicts are n answers of one confidence, of which right are right.
func verdicts(confidence float64, right, n int) (list []review.Entry) {
	for i := range n {
		status := review.Approved
		if i >= right {
			status = []review.Status{review.Rejected, review.Corrected}[i%2]
		}
		list = append(list, verdict(confidence, status, time.Minute))
	}
	return list
}

func join(lists ...[]review.Entry) (all []review.Entry) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func TestPriorityFollowsConfidenceAndSeverity(t *testing.T) {
	for _, c := range []struct {
		confidence float64
		known      bool
		category   string
		corrected  bool
		want       review.Priority
	}{
		{0.39, true, "", false, review.High},
		{0.40, true, "", false, review.Medium},
		{0.40 - 1e-10, true, "", false, review.Medium},
		{0.39, true, "list", false, review.High},
		{0.64, true, "", false, review.Medium},
		{0.65, true, "", false, review.Low},
		{0.65 - 1e-10, true, "", false, review.Low},
		{0.99, true, "", true, review.High},
		{0, false, "", true, review.High},
		{0, false, "", false, review.Medium},
		{0, false, "how-to", false, review.Medium},
		{0, false, "Troubleshooting", false, review.High},
		{0, false, "definition", false, review.Low},
		{0.5, true, "INFRA", false, review.High},
		{0.5, true, "TEST", false, review.Low},
		{0.9, true, "INFRA", false, review.Medium},
		{0.9, true, "TEST", false, review.Low},
		{0.5, true, "something else", false, review.Medium},
	} {
		assert.Equal(t, c.want, review.PriorityOf(c.confidence, c.known, c.category, c.corrected), "%+v", c)
	}
	mine := review.Severities{"billing": review.High}
	assert.Equal(t, review.Medium, mine.PriorityOf(0.9, true, "Billing", false))
	assert.Equal(t, review.Medium, mine.PriorityOf(0.5, true, "troubleshooting", false), "the table is the whole table")
}

func TestStatisticsCountVerdictsByConfidence(t *testing.T) {
	unknown := verdict(0, review.Approved, time.Minute)
	unknown.HasConfidence = false
	open := review.Entry{Status: review.Pending, Confidence: 0.99, HasConfidence: true, CreatedAt: start, Deadline: start.Add(time.Hour)}
	s := review.Summarize([]review.Entry{
		verdict(0, review.Rejected, time.Minute), verdict(0.4-1e-10, review.Approved, 2*time.Minute), verdict(0.5, review.Corrected, 3*time.Minute),
		verdict(0.65, review.Approved, 4*time.Minute), verdict(0.85, review.Approved, 5*time.Minute), verdict(1, review.Corrected, 2*time.Hour), unknown, open,
	}, start.Add(2*time.Hour), 0.85)
	assert.Equal(t, 8, s.Total)
	assert.Equal(t, map[review.Status]int{review.Pending: 1, review.InReview: 0, review.Approved: 4, review.Corrected: 2, review.Rejected: 1}, s.ByStatus)
	assert.Equal(t, review.SLAStats{Met: 6, Missed: 1, Overdue: 1}, s.SLA)
	assert.Equal(t, []review.Bucket{
		{From: 0, To: 0.4, Verdicts: 1, Approved: 0, Accuracy: new(0.0)},
		{From: 0.4, To: 0.65, Verdicts: 2, Approved: 1, Accuracy: new(0.5)},
		{From: 0.65, To: 0.85, Verdicts: 1, Approved: 1, Accuracy: new(1.0)},
		{From: 0.85, To: 1, Verdicts: 2, Approved: 1, Accuracy: new(0.5)},
	}, s.Accuracy)
	assert.Equal(t, review.FalseRates{
		Threshold: 0.85, FalsePositive: 1, Wrong: 3, PositiveRate: new(1.0 / 3), FalseNegative: 2, Right: 3, NegativeRate: new(2.0 / 3),
	}, s.False)
	assert.Equal(t, []float64{180, 7200}, []float64{s.DecisionP50, s.DecisionP95})
}

func TestStatisticsOfNothingHaveNoRates(t *testing.T) {
	s := review.Summarize(nil, start, 0.85)
	assert.Nil(t, s.False.PositiveRate)
	assert.Nil(t, s.False.NegativeRate)
	assert.Nil(t, s.Accuracy[0].Accuracy)
	assert.Zero(t, s.DecisionP95)
	assert.Len(t, s.ByStatus, 5)
}

func TestTheIntervalIsWilsons(t *testing.T) {
	// From the formula with z = 1.96, as in Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263 and 15 of 148.
	for _, c := range []struct {
		right, of int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		i := review.Wilson(c.right, c.of)
		assert.InDelta(t, c.low, i.Low, 0.00005)
		assert.InDelta(t, c.high, i.High, 0.00005)
	}
	assert.Equal(t, review.Interval{High: 1}, review.Wilson(0, 0))
}

func TestNeededIsTheLeastNumberThatCanDo(t *testing.T) {
	for _, accuracy := range []float64{0.01, 0.5, 0.8, 0.85, 0.9, 0.95, 0.99} {
		n := review.Needed(accuracy)
		assert.GreaterOrEqual(t, review.Wilson(n, n).Low, accuracy-1e-9)
		assert.Less(t, review.Wilson(n-1, n-1).Low, accuracy)
	}
}

func TestTooFewVerdictsAreRefusedWithTheNumberThatItTakes(t *testing.T) {
	open := review.Entry{Status: review.Pending, Confidence: 0.9, HasConfidence: true}
	_, err := review.Propose(append(verdicts(0.9, 34, 34), open), 0.9)
	var few *review.TooFewError
	require.ErrorAs(t, err, &few)
	assert.Equal(t, review.TooFewError{Have: 34, Need: 35, Accuracy: 0.9}, *few)
	require.ErrorIs(t, err, review.ErrTooFew)
	proposal, err := review.Propose(verdicts(0.9, 35, 35), 0.9)
	require.NoError(t, err)
	assert.Equal(t, 0.9, proposal.Pass)
	assert.Nil(t, proposal.Review)
	assert.NotEmpty(t, proposal.ReviewNote)
}

func TestThresholdsArePutWhereTheVerdictsSay(t *testing.T) {
	list := join(verdicts(0.95, 60, 60), verdicts(0.8, 59, 60), verdicts(0.6, 30, 60), verdicts(0.3, 5, 60))
	proposal, err := review.Propose(list, 0.9)
	require.NoError(t, err)
	assert.Equal(t, 240, proposal.Verdicts)
	assert.Equal(t, 0.8, proposal.Pass, "0.6 would let too many wrong ones pass")
	assert.Equal(t, review.Wilson(119, 120), proposal.PassBasis)
	require.NotNil(t, proposal.Review)
	assert.Equal(t, 0.8, *proposal.Review, "35 of 120 below it are right")
	assert.Equal(t, review.Wilson(35, 120), proposal.LowBasis)
	assert.Equal(t, "119 of 120 right (95 %: 0.95–1.00)", proposal.PassBasis.String())
}

func TestAnAccuracyThatNoAnswersReachIsRefused(t *testing.T) {
	_, err := review.Propose(verdicts(0.9, 50, 100), 0.9)
	require.ErrorIs(t, err, review.ErrNoThreshold)
	require.ErrorContains(t, err, "50 of 100 right")
	for _, accuracy := range []float64{0, 1, -1, math.NaN()} {
		_, err := review.Propose(nil, accuracy)
		require.ErrorIs(t, err, review.ErrInvalid)
	}
}

func TestProposalsReadTheQueue(t *testing.T) {
	d := newDesk(t, review.Options{})
	for i := range 35 {
		e := question(fmt.Sprint(i))
		e.Confidence = 0.9
		d.decide(t, d.submit(t, e).ID, review.Approved)
	}
	proposal, err := d.Propose(t.Context(), 0.9)
	require.NoError(t, err)
	assert.Equal(t, 0.9, proposal.Pass)
}
