package scenarios

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// cooldown is the time between two runs of a scenario that search the web. The clock stands still unless it ticks.
const cooldown = 30 * time.Second

// reviewBook is a review queue in memory.
type reviewBook struct {
	down  bool
	newID func() string

	mu        sync.Mutex
	byRun     map[string]state.Review
	submitted []Submitted // of this turn
}

// Submit implements nodes.Reviews.
func (b *reviewBook) Submit(_ context.Context, q nodes.ReviewRequest) (state.Review, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return state.Review{}, errors.New("the review queue is down")
	}
	if r, ok := b.byRun[q.Run]; ok {
		return r, nil
	}
	r := state.Review{ID: b.newID(), Mode: q.Mode, Status: state.ReviewPending, Concerns: q.Concerns}
	if b.byRun == nil {
		b.byRun = make(map[string]state.Review)
	}
	b.byRun[q.Run] = r
	b.submitted = append(b.submitted, Submitted{ID: r.ID, Question: q.Question, Answer: q.Answer, Mode: string(q.Mode), Concerns: q.Concerns, Corrected: q.Corrected})
	return r, nil
}

// shelf is a cache in memory.
type shelf struct{ m sync.Map }

func (s *shelf) Get(_ context.Context, key string) ([]byte, bool) {
	v, ok := s.m.Load(key)
	if !ok {
		return nil, false
	}
	return v.([]byte), true
}

func (s *shelf) Put(_ context.Context, key string, value []byte) { s.m.Store(key, value) }

// unchanging is a library whose content never changes.
type unchanging struct{ nodes.Library }

func (unchanging) Version(context.Context) (int64, error) { return 1, nil }

// scriptedComponents are the dimensions that a scenario gives: those of the first attempt, of the second, ….
func scriptedComponents(list []map[string]float64) func(context.Context, state.AgentState, state.Attempt) state.Components {
	return func(_ context.Context, s state.AgentState, _ state.Attempt) state.Components {
		given := list[min(len(s.Attempts), len(list)-1)]
		dimension := func(name string) *float64 {
			if value, ok := given[name]; ok {
				return &value
			}
			return nil
		}
		return state.Components{
			Relevance: dimension("relevance"), Consistency: dimension("consistency"), Grounding: dimension("grounding"),
			Completeness: dimension("completeness"), Classification: dimension("classification"),
		}
	}
}
