package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// asking is a node that asks for a word and leaves it.
func asking(j *graphtest.Journal, key string) nodeFunc {
	return func(ctx context.Context, _ trail) (step, error) {
		j.Note(ctx)
		word, err := graph.Ask[string](ctx, key, "a word for "+key)
		if err != nil {
			return step{}, err
		}
		return step{Path: []string{key + "=" + word}}, nil
	}
}

// withDone is a graph of one node and one behind it.
func withDone(t testing.TB, fn nodeFunc, opts ...graph.Option) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		n, done := g.Node("publish", fn), g.Node("done", say("done"))
		g.Start(n)
		g.Edge(n, done)
		g.Edge(done, graph.End)
	}, opts...)
}

// Rule 18: an interrupt is a value in the result, not an error, and the answer lets the node go on.
func TestAQuestionEndsTheCallWithAnInterruptAndTheAnswerLetsItGoOn(t *testing.T) {
	j := new(graphtest.Journal)
	thread := withDone(t, asking(j, "word")).Thread("t")
	res, err := thread.Invoke(t.Context(), step{Path: []string{"in"}})
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	q := res.Interrupts[0]
	assert.Equal(t, graph.Interrupt{
		ID: "1.1/publish/word", Kind: graph.Question, Node: "publish", Task: "publish", Step: 1, Key: "word",
		Prompt: json.RawMessage(`"a word for word"`), Want: "string",
	}, q)
	assert.Equal(t, "a word for word", q.Text())
	assert.Equal(t, []string{"in"}, res.State.Path, "nothing of the step is kept")
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, res.Interrupts, head.Interrupts)
	assert.False(t, head.Done)

	res, err = thread.Resume(t.Context(), graph.Answer(q.ID, "hello"))
	require.NoError(t, err)
	assert.Empty(t, res.Interrupts)
	assert.Equal(t, []string{"in", "word=hello", "done"}, res.State.Path)
	assert.Equal(t, 2, j.Count("publish"))
}

// Rule 18: a node that swallows the interrupt's error is still interrupted. (LangGraph's interrupt is an exception that a
// bare except in the node catches: the node then goes on without an answer.)
func TestANodeThatSwallowsTheInterruptsErrorIsStillInterrupted(t *testing.T) {
	swallow := func(ctx context.Context, _ trail) (step, error) {
		word, err := graph.Ask[string](ctx, "word", nil)
		if err != nil {
			return step{Path: []string{"never"}}, nil //nolint:nilerr // swallowed on purpose
		}
		return step{Path: []string{word}}, nil
	}
	replaced := func(ctx context.Context, _ trail) (step, error) {
		word, err := graph.Ask[string](ctx, "word", nil)
		if err != nil {
			return step{}, errors.New("something else")
		}
		return step{Path: []string{word}}, nil
	}
	for name, fn := range map[string]nodeFunc{"as success": swallow, "as another error": replaced} {
		t.Run(name, func(t *testing.T) {
			thread := withDone(t, fn).Thread("t")
			res, err := thread.Invoke(t.Context(), step{})
			require.NoError(t, err)
			require.Len(t, res.Interrupts, 1)
			assert.Empty(t, res.State.Path)
			res, err = thread.Resume(t.Context(), graph.Reply("x"))
			require.NoError(t, err)
			assert.Equal(t, []string{"x", "done"}, res.State.Path)
		})
	}
}

// Rule 18: a node is not run again until one of its questions is answered. (LangGraph runs it with every resume.)
func TestANodeIsNotRunAgainUntilOneOfItsQuestionsIsAnswered(t *testing.T) {
	j := new(graphtest.Journal)
	two := func(ctx context.Context, _ trail) (step, error) {
		j.Note(ctx)
		a, errA := graph.Ask[string](ctx, "a", nil)
		b, errB := graph.Ask[string](ctx, "b", nil)
		return step{Path: []string{a + b}}, errors.Join(errA, errB)
	}
	thread := withDone(t, two).Thread("t")
	res, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 2, "two questions in one node have two ids")
	first := res.Interrupts

	res, err = thread.Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, first, res.Interrupts)
	assert.Equal(t, 1, j.Count("publish"), "nothing new to hear")

	res, err = thread.Resume(t.Context(), graph.Answer(first[1].ID, "B"))
	require.NoError(t, err)
	assert.Equal(t, first[:1], res.Interrupts)
	assert.Equal(t, 2, j.Count("publish"))

	res, err = thread.Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, first[:1], res.Interrupts)
	assert.Equal(t, 2, j.Count("publish"), "it has seen that answer")

	_, err = thread.Resume(t.Context(), graph.Answer(first[1].ID, "again"))
	require.ErrorIs(t, err, graph.ErrAlreadyAnswered)

	res, err = thread.Resume(t.Context(), graph.Reply("A"))
	require.NoError(t, err)
	assert.Equal(t, []string{"AB", "done"}, res.State.Path)
	assert.Equal(t, 3, j.Count("publish"))

	_, err = thread.Resume(t.Context(), graph.Answer(first[1].ID, "later"))
	require.ErrorIs(t, err, graph.ErrAlreadyAnswered, "also when the thread has gone on and ended")
	_, err = thread.Resume(t.Context(), graph.Answer("1.1/publish/c", "x"))
	require.ErrorIs(t, err, graph.ErrUnknownQuestion)
}

// askers is a graph of two nodes that ask in one step, beside a third that does not.
func askers(t testing.TB, j *graphtest.Journal) *graph.App[trail, step] {
	return compile(t, func(g *graph.Graph[trail, step]) {
		a, b, c := g.Node("a", asking(j, "x")), g.Node("b", asking(j, "y")), g.Node("c", func(ctx context.Context, _ trail) (step, error) {
			j.Note(ctx)
			return step{Path: []string{"c"}}, nil
		})
		sum := g.Node("sum", say("sum"))
		g.Start(a, b, c)
		g.Join(sum, a, b, c)
		g.Edge(sum, graph.End)
	})
}

// Rule 18: several may be pending, in parallel tasks too; answers come one by one or as a map.
func TestAnswersComeOneByOneOrAsAMap(t *testing.T) {
	t.Run("one by one", func(t *testing.T) {
		j := new(graphtest.Journal)
		thread := askers(t, j).Thread("t")
		res, err := thread.Invoke(t.Context(), step{})
		require.NoError(t, err)
		require.Len(t, res.Interrupts, 2)
		_, err = thread.Resume(t.Context(), graph.Reply("?"))
		require.ErrorIs(t, err, graph.ErrAmbiguousAnswer)
		res, err = thread.Resume(t.Context(), graph.Answer(res.Interrupts[1].ID, "2"))
		require.NoError(t, err)
		require.Len(t, res.Interrupts, 1)
		assert.Equal(t, "x", res.Interrupts[0].Key)
		res, err = thread.Resume(t.Context(), graph.Reply("1"))
		require.NoError(t, err)
		assert.Equal(t, []string{"x=1", "y=2", "c", "sum"}, res.State.Path)
		assert.Equal(t, []int{2, 2, 1}, []int{j.Count("a"), j.Count("b"), j.Count("c")}, "b was finished by its answer, c before")
	})
	t.Run("as a map", func(t *testing.T) {
		thread := askers(t, new(graphtest.Journal)).Thread("t")
		res, err := thread.Invoke(t.Context(), step{})
		require.NoError(t, err)
		res, err = thread.Resume(t.Context(), graph.Answers(map[string]any{res.Interrupts[0].ID: "1", res.Interrupts[1].ID: "2"}))
		require.NoError(t, err)
		assert.Equal(t, []string{"x=1", "y=2", "c", "sum"}, res.State.Path)
	})
	t.Run("one wrong answer in a map gives none", func(t *testing.T) {
		j := new(graphtest.Journal)
		thread := askers(t, j).Thread("t")
		res, err := thread.Invoke(t.Context(), step{})
		require.NoError(t, err)
		_, err = thread.Resume(t.Context(), graph.Answers(map[string]any{res.Interrupts[0].ID: "1", res.Interrupts[1].ID: 2}))
		require.ErrorIs(t, err, graph.ErrAnswerType)
		head, err := thread.Head(t.Context())
		require.NoError(t, err)
		assert.Equal(t, res.Interrupts, head.Interrupts)
		assert.Equal(t, 1, j.Count("a"))
	})
}

// Rule 18: a wrong type of answer is a typed error that consumes nothing.
func TestAnAnswerOfTheWrongTypeIsATypedErrorThatConsumesNothing(t *testing.T) {
	type decision struct {
		Publish bool `json:"publish"`
	}
	node := func(ctx context.Context, _ trail) (step, error) {
		d, err := graph.Ask[decision](ctx, "ok", "publish?")
		if err != nil {
			return step{}, nil //nolint:nilerr // swallowed on purpose
		}
		return step{Path: []string{map[bool]string{true: "yes", false: "no"}[d.Publish]}}, nil
	}
	store := graph.NewMemoryStore()
	thread := withDone(t, node).Thread("t", graph.WithStore(store))
	res, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	open := res.Interrupts
	assert.Equal(t, "object", open[0].Want)
	for name, wrong := range map[string]any{
		"another JSON type":            true,
		"a field of another type":      map[string]any{"publish": "yes"},
		"a field that is not known":    map[string]any{"publsh": true},
		"another JSON type (a number)": 1,
	} {
		_, err = thread.Resume(t.Context(), graph.Answer(open[0].ID, wrong))
		var ae *graph.AnswerError
		require.ErrorAs(t, err, &ae, name)
		assert.Equal(t, open[0].ID, ae.ID)
		head, err := thread.Head(t.Context())
		require.NoError(t, err)
		assert.Equal(t, open, head.Interrupts, name)
	}
	res, err = thread.Resume(t.Context(), graph.Answer(open[0].ID, json.RawMessage(`{"publish":true}`)))
	require.NoError(t, err)
	assert.Equal(t, []string{"yes", "done"}, res.State.Path)
}

// Rule 18: null is an answer. (LangGraph takes Command(resume=None) for no answer at all.)
func TestNullIsAnAnswer(t *testing.T) {
	thread := withDone(t, asking(new(graphtest.Journal), "word")).Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	res, err := thread.Resume(t.Context(), graph.Reply(nil))
	require.NoError(t, err)
	assert.Equal(t, []string{"word=", "done"}, res.State.Path)
}

// Rule 18: expiry per question.
func TestAQuestionThatHasExpiredLetsItsNodeDecide(t *testing.T) {
	node := func(ctx context.Context, _ trail) (step, error) {
		word, err := graph.Ask[string](ctx, "word", nil, graph.ExpiresAfter(time.Hour))
		if errors.Is(err, graph.ErrExpired) {
			word = "default"
		} else if err != nil {
			return step{}, err
		}
		return step{Path: []string{word}}, nil
	}
	clock := graphtest.NewClock(noon)
	ctx := graph.WithClock(t.Context(), clock)
	thread := withDone(t, node).Thread("t")
	res, err := thread.Invoke(ctx, step{})
	require.NoError(t, err)
	assert.Equal(t, noon.Add(time.Hour), res.Interrupts[0].Expires)
	clock.Advance(time.Hour - time.Second)
	res, err = thread.Resume(ctx)
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	clock.Advance(time.Second)
	_, err = thread.Resume(ctx, graph.Reply("late"))
	require.ErrorIs(t, err, graph.ErrExpired)
	res, err = thread.Resume(ctx)
	require.NoError(t, err)
	assert.Equal(t, []string{"default", "done"}, res.State.Path)
}

// Rules 17, 18: the same key used twice in one task is an error.
func TestAKeyIsUsedOncePerTask(t *testing.T) {
	var second error
	node := func(ctx context.Context, _ trail) (step, error) {
		if _, err := graph.Ask[string](ctx, "word", nil); err != nil {
			return step{}, err
		}
		_, second = graph.Ask[string](ctx, "word", nil)
		return step{}, second
	}
	thread := withDone(t, node).Thread("t")
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	_, err = thread.Resume(t.Context(), graph.Reply("x"))
	require.ErrorIs(t, err, graph.ErrKeyUsed)
	require.ErrorIs(t, second, graph.ErrKeyUsed)
}

// Rule 18: a question can be answered in another process, after a crash while waiting.
func TestAQuestionOutlivesItsProcess(t *testing.T) {
	store := graph.NewMemoryStore()
	_, err := askers(t, new(graphtest.Journal)).Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	require.NoError(t, err)
	j := new(graphtest.Journal)
	thread := askers(t, j).Thread("t", graph.WithStore(store))
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	require.Len(t, head.Interrupts, 2)
	res, err := thread.Resume(t.Context(), graph.Answer(head.Interrupts[0].ID, "1"), graph.Answer(head.Interrupts[1].ID, "2"))
	require.NoError(t, err)
	assert.Equal(t, []string{"x=1", "y=2", "c", "sum"}, res.State.Path)
	assert.Zero(t, j.Count("c"), "its result was committed")
}

// Rule 18: a person's answer is saved before anything runs, so that no crash can lose it.
func TestAnAnswerSurvivesACrashBeforeItsNodeHasRun(t *testing.T) {
	inner := graph.NewMemoryStore()
	_, err := withDone(t, asking(new(graphtest.Journal), "word")).Thread("t", graph.WithStore(inner)).Invoke(t.Context(), step{})
	require.NoError(t, err)
	// Load, Claim, Load, Pend (the answer): the process dies there.
	dying := graphtest.CrashAt(inner, 4, graphtest.FailAfter)
	j := new(graphtest.Journal)
	_, err = withDone(t, asking(j, "word")).Thread("t", graph.WithStore(dying)).Resume(t.Context(), graph.Reply("kept"))
	require.ErrorIs(t, err, graphtest.ErrInjected)
	assert.Empty(t, j.Runs(), "the answer is saved before anything runs")
	res, err := withDone(t, asking(new(graphtest.Journal), "word")).Thread("t", graph.WithStore(inner)).Resume(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"word=kept", "done"}, res.State.Path)
}

// Rule 18: a question needs somebody who can resume.
func TestAQuestionWithoutAThreadIsAnError(t *testing.T) {
	_, err := withDone(t, asking(new(graphtest.Journal), "word")).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrNeedsThread)
	_, err = graph.Ask[string](t.Context(), "word", nil)
	require.ErrorIs(t, err, graph.ErrNoTask)
	thread := withDone(t, asking(new(graphtest.Journal), "word")).Thread("t")
	_, err = thread.Invoke(t.Context(), step{}, graph.Reply("x"))
	require.ErrorIs(t, err, graph.ErrNeedsResume)
}

// Rule 13: a new input discards the unfinished step with its questions, and says so.
func TestANewInputGivesUpTheOpenQuestions(t *testing.T) {
	thread := withDone(t, asking(new(graphtest.Journal), "word")).Thread("t")
	first, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	res, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	assert.True(t, res.Discarded)
	require.Len(t, res.Interrupts, 1)
	assert.NotEqual(t, first.Interrupts[0].ID, res.Interrupts[0].ID)
	_, err = thread.Resume(t.Context(), graph.Answer(first.Interrupts[0].ID, "old"))
	require.ErrorIs(t, err, graph.ErrUnknownQuestion)
}

// Rule 18: static stops before and after nodes.
func TestAStopBeforeOrAfterANodeEndsTheCallAndResumeGoesOn(t *testing.T) {
	build := func(g *graph.Graph[trail, step]) (a, b, c graph.Node) {
		a, b, c = g.Node("a", say("a")), g.Node("b", say("b")), g.Node("c", say("c"))
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, c)
		g.Edge(c, graph.End)
		return a, b, c
	}
	var a, b, c graph.Node
	app := compile(t, func(g *graph.Graph[trail, step]) { a, b, c = build(g) })
	for _, test := range []struct {
		name  string
		opt   graph.Option
		kind  graph.InterruptKind
		node  string
		paths [][]string
	}{
		{"before the first", graph.StopBefore(a), graph.Before, "a", [][]string{nil, {"a", "b", "c"}}},
		{"before one in the middle", graph.StopBefore(b), graph.Before, "b", [][]string{{"a"}, {"a", "b", "c"}}},
		{"after one in the middle", graph.StopAfter(b), graph.After, "b", [][]string{{"a", "b"}, {"a", "b", "c"}}},
		{"after the last, where nothing is left", graph.StopAfter(c), "", "", [][]string{{"a", "b", "c"}}},
		{"after one and before the next at the same place", func(s graph.Option) graph.Option { return s }(graph.StopBefore(b, c)), graph.Before, "b", [][]string{{"a"}, {"a", "b"}, {"a", "b", "c"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := graph.NewMemoryStore()
			for i, want := range test.paths {
				thread := app.Thread("t", graph.WithStore(store))
				var res graph.Result[trail]
				var err error
				if i == 0 {
					res, err = thread.Invoke(t.Context(), step{}, test.opt)
				} else {
					res, err = thread.Resume(t.Context(), test.opt)
				}
				require.NoError(t, err)
				assert.Equal(t, want, res.State.Path)
				if last := i == len(test.paths)-1; last {
					assert.Empty(t, res.Interrupts)
				} else {
					require.Len(t, res.Interrupts, 1)
					assert.Equal(t, test.kind, res.Interrupts[0].Kind)
				}
			}
		})
	}
	g := graph.New[trail]("other")
	foreign, _, _ := build(g)
	_ = foreign
	_, err := app.Invoke(t.Context(), step{}, graph.StopBefore(graph.End))
	require.ErrorIs(t, err, graph.ErrForeignNode)
}

// Rule 18: a stop is passed once it was reported, also when the process dies behind it.
func TestAStopIsReportedOnceAlsoOverACrash(t *testing.T) {
	var b graph.Node
	broken := true
	app := compile(t, func(g *graph.Graph[trail, step]) {
		a := g.Node("a", say("a"))
		b = g.Node("b", failing("b", &broken))
		g.Start(a)
		g.Edge(a, b)
		g.Edge(b, graph.End)
	}, graph.MaxSteps(10))
	thread := app.Thread("t")
	res, err := thread.Invoke(t.Context(), step{}, graph.StopBefore(b))
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	_, err = thread.Resume(t.Context(), graph.StopBefore(b))
	require.ErrorIs(t, err, errBoom)
	broken = false
	res, err = thread.Resume(t.Context(), graph.StopBefore(b))
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, res.State.Path)
}

// Rules 18, 29: the stream ends with the interrupts.
func TestAStreamShowsInterruptsBeforeItsEnd(t *testing.T) {
	thread := withDone(t, asking(new(graphtest.Journal), "word")).Thread("t")
	var kinds []string
	for ev, err := range thread.Stream(t.Context(), step{}, graph.Tasks) {
		require.NoError(t, err)
		kinds = append(kinds, ev.Kind.String())
		if ev.Kind == graph.Interrupted {
			assert.Equal(t, "word", ev.Interrupt.Key)
		}
	}
	assert.Equal(t, []string{"run_start", "task_start", "task_end", "interrupted", "run_end"}, kinds)
}

// Rules 11, 18: a call that is cancelled while a question is asked returns the cause, and the question.
func TestACancelledCallReturnsItsCauseAndTheQuestionsThatWereAsked(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	app := withDone(t, func(ctx context.Context, _ trail) (step, error) {
		_, err := graph.Ask[string](ctx, "word", nil)
		cancel(errBoom)
		return step{}, err
	})
	res, err := app.Thread("t").Invoke(ctx, step{})
	require.ErrorIs(t, err, errBoom)
	assert.Len(t, res.Interrupts, 1)
}
