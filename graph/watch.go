package graph

import (
	"context"
	"errors"
)

func (r *run[S, U]) span(kind SpanKind) Span {
	s := Span{Kind: kind, Graph: r.app.name, Run: r.number, Step: r.step, Resumed: !r.begun}
	if r.save != nil {
		s.Thread = r.save.thread
	}
	return s
}

// watchRun is proceed with an observer.
func (r *run[S, U]) watchRun(ctx context.Context) (res Result[S], err error) {
	s := r.span(RunSpan)
	ctx = r.watch.start(ctx, &s)
	err = errUnwound
	defer func() {
		s.Steps, s.Interrupts = r.result.Steps, r.result.Interrupts
		r.watch.end(ctx, &s, err)
		if e := r.watch.failure.Load(); e != nil && r.observer != nil { // a sub-graph leaves it to the call around
			if err == nil {
				err = e
			} else {
				err = errors.Join(err, e)
			}
		}
	}()
	return r.proceed(ctx)
}

// watchStep is runStep with an observer.
func (r *run[S, U]) watchStep(ctx context.Context) (err error) {
	s := r.span(StepSpan)
	s.Step, s.Tasks = r.step+1, len(r.pos.Next)
	ctx = r.watch.start(ctx, &s)
	shared := r.shared
	r.shared = r.share(ctx)
	err = errUnwound
	defer func() {
		r.shared = shared
		s.Interrupts = r.result.Interrupts
		r.watch.end(ctx, &s, err)
	}()
	return r.runStep(ctx)
}

// A taskSpan is the span of one attempt. A nil one is that of a run that nobody observes.
type taskSpan struct {
	Span
	watch *watch
	ctx   context.Context
}

// watchAttempt is attempt with an observer.
func (r *run[S, U]) watchAttempt(c *taskContext, n *body[S, U], t *Task, i int) (span *taskSpan, stack []byte, err error) {
	span = &taskSpan{Span: r.span(TaskSpan), watch: r.watch}
	span.Step, span.Node, span.Task, span.Attempt = r.step+1, t.Node, t.ID(), r.results[i].attempt
	span.ctx = r.watch.start(c, &span.Span)
	returned := false
	defer func() {
		if !returned {
			span.watch.end(span.ctx, &span.Span, r.nodeError(t, &r.results[i], ErrGoexit, nil))
		}
	}()
	stack, err = r.attempt(span.ctx, n, i)
	returned = true
	return span, stack, err
}

// endSpan ends the span of an attempt.
func (r *run[S, U]) endSpan(s *taskSpan, t *Task, res *result[U], err error, stack []byte) {
	if s == nil {
		return
	}
	if err != nil {
		err = r.nodeError(t, res, err, stack)
	} else {
		s.Cached = res.hit()
	}
	s.watch.end(s.ctx, &s.Span, err)
}

// endSpanRetried ends the span of an attempt that is followed by another.
func (r *run[S, U]) endSpanRetried(s *taskSpan, t *Task, res *result[U], err error, stack []byte) {
	if s != nil {
		s.Retried = true
		r.endSpan(s, t, res, err, stack)
	}
}

// endSpanWaiting ends the span of an attempt that has asked something.
func (r *run[S, U]) endSpanWaiting(s *taskSpan, t *Task, res *result[U]) {
	if s != nil {
		s.Interrupts = r.journals.lookup(t.ID()).interrupts()
		r.endSpan(s, t, res, nil, nil)
	}
}
