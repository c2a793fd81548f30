package graph

import (
	"context"
	"encoding/json"
	"fmt"
)

// Once runs fn and keeps its result with the task: when the task runs again, after a failed attempt, a question or a crash,
// fn does not, and Once returns the kept result. It is for side effects inside of a node. On a thread the result is kept
// by its store; a crash between the end of fn and that write lets fn run again, so that fn itself is run at least once:
// give the outside world the Key of [InfoFrom] to tell a repetition. Without a thread the result lives as long as the call.
//
// key names the effect within the task and must not depend on chance. T must survive JSON. An error of fn is not kept.
// Once is not a lock: two calls with the same key in one attempt are an [ErrKeyUsed]. Other errors: [ErrNoTask], [SaveError].
func Once[T any](ctx context.Context, key string, fn func(context.Context) (T, error)) (T, error) {
	var result T
	c, ok := ctx.Value(taskKey{}).(*taskContext)
	if !ok {
		return result, fmt.Errorf("once %q: %w", key, ErrNoTask)
	}
	j, err := c.notes()
	if err != nil {
		return result, fmt.Errorf("once %q: %w", key, err)
	}
	n, err := j.begun(c, key)
	if err != nil {
		return result, err
	}
	if n != nil {
		if err := json.Unmarshal(n.Value, &result); err != nil {
			return result, fmt.Errorf("once %q: %w: %w", key, ErrDamaged, err)
		}
		return result, nil
	}
	if result, err = fn(ctx); err != nil {
		return result, err
	}
	value, err := json.Marshal(result)
	if err != nil {
		return result, fmt.Errorf("once %q: encode the result: %w", key, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if c.over.Load() {
		return result, fmt.Errorf("once %q: %w: its result is not kept", key, errAttemptOver)
	}
	return result, j.add(&note{Kind: onceNote, Key: key, Value: value})
}

// begun notes that an attempt has come by the key of a Once, and returns what is kept under it.
func (j *journal) begun(c *taskContext, key string) (*note, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c.over.Load() {
		return nil, fmt.Errorf("once %q: %w", key, errAttemptOver)
	}
	return j.use(onceNote, key)
}
