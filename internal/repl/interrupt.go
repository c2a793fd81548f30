package repl

import (
	"context"
	"errors"
)

// interruptible runs do with a context that Ctrl-C cancels. It returns ErrInterrupted when Ctrl-C stopped it, and not
// before do has returned: what comes next finds the thread at rest.
func (s *session) interruptible(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.forgetSignals()
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case _, ok := <-s.cfg.Signals:
			if ok {
				s.screen.status("cancelling…")
				cancel(ErrInterrupted)
			}
		case <-done:
		}
	}()
	err := do(ctx)
	close(done)
	<-watched
	if err != nil && errors.Is(context.Cause(ctx), ErrInterrupted) {
		return ErrInterrupted
	}
	return err
}

// forgetSignals drops what was pressed before: on a terminal, a Ctrl-C at the prompt is the line editor's.
func (s *session) forgetSignals() {
	for s.cfg.Interactive {
		select {
		case _, ok := <-s.cfg.Signals:
			if !ok {
				return
			}
		default:
			return
		}
	}
}
