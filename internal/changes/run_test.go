package changes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeSystem has room for some folders; the test makes its events.
type fakeSystem struct {
	room     int
	events   chan fsnotify.Event
	failures chan error
	closed   bool
}

func newFakeSystem(room int) *fakeSystem {
	return &fakeSystem{room: room, events: make(chan fsnotify.Event), failures: make(chan error)}
}

func (s *fakeSystem) Add(folder string) error {
	if s.room == 0 {
		return fmt.Errorf("add %s: %w", folder, syscall.ENOSPC)
	}
	s.room--
	return nil
}

func (s *fakeSystem) Remove(string) error { s.room++; return nil }

func (s *fakeSystem) Close() error { s.closed = true; return nil }

func (s *fakeSystem) channels() (<-chan fsnotify.Event, <-chan error) { return s.events, s.failures }

// fakeTree is the folders of the paths that it knows.
type fakeTree map[string][]string

func (t fakeTree) Folders(_ context.Context, path string) ([]string, error) {
	if folders, ok := t[path]; ok {
		return folders, nil
	}
	return nil, fs.ErrNotExist
}

// a call of the function that Run calls.
type call struct {
	after time.Duration
	paths []string
}

// play runs a watcher of /r over what script does, and returns its calls; fails of the first calls fail.
func play(t *testing.T, sys *fakeSystem, tree fakeTree, fails int, script func()) (calls []call, problems []string) {
	t.Helper()
	begin := time.Now()
	w, err := start(t.Context(), tree, []string{"/r"}, Options{Problem: func(err error) { problems = append(problems, err.Error()) }},
		func() (system, error) { return sys, nil })
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- w.Run(ctx, func(_ context.Context, paths []string) error {
			calls = append(calls, call{time.Since(begin), paths})
			if len(calls) <= fails {
				return errors.New("the database is busy")
			}
			return nil
		})
	}()
	script()
	cancel()
	require.NoError(t, <-ended)
	require.NoError(t, w.Close())
	assert.True(t, sys.closed)
	return calls, problems
}

var justR = fakeTree{"/r": {"/r"}}

func TestChangesThatComeCloseTogetherAreToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newFakeSystem(10)
		calls, problems := play(t, sys, justR, 0, func() {
			sys.events <- fsnotify.Event{Name: "/r/b", Op: fsnotify.Write}
			time.Sleep(200 * time.Millisecond)
			sys.events <- fsnotify.Event{Name: "/r/a", Op: fsnotify.Remove}
			sys.events <- fsnotify.Event{Name: "/r/b", Op: fsnotify.Write}
			sys.events <- fsnotify.Event{Name: "/r/c", Op: fsnotify.Chmod}
			time.Sleep(time.Minute)
			sys.events <- fsnotify.Event{Name: "/r/d", Op: fsnotify.Create}
			time.Sleep(time.Minute)
		})
		assert.Empty(t, problems)
		assert.Equal(t, []call{
			{500 * time.Millisecond, []string{"/r/a", "/r/b"}},
			{time.Minute + 500*time.Millisecond, []string{"/r/d"}},
		}, calls)
	})
}

func TestChangesThatNeverRestAreToldAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newFakeSystem(10)
		calls, _ := play(t, sys, justR, 0, func() {
			for range 60 {
				sys.events <- fsnotify.Event{Name: "/r/log", Op: fsnotify.Write}
				time.Sleep(100 * time.Millisecond)
			}
		})
		require.NotEmpty(t, calls)
		assert.Equal(t, call{5 * time.Second, []string{"/r/log"}}, calls[0])
	})
}

func TestWhatFailedIsToldAgainWithWhatCameSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newFakeSystem(10)
		calls, problems := play(t, sys, justR, 3, func() {
			sys.events <- fsnotify.Event{Name: "/r/a", Op: fsnotify.Write}
			time.Sleep(11 * time.Second)
			sys.events <- fsnotify.Event{Name: "/r/b", Op: fsnotify.Write}
			time.Sleep(time.Minute)
		})
		assert.Equal(t, []string{"the database is busy"}, problems, "a problem that stays is told once")
		ms := time.Millisecond
		assert.Equal(t, []call{
			{300 * ms, []string{"/r/a"}}, {10_300 * ms, []string{"/r/a"}}, {11_300 * ms, []string{"/r/a", "/r/b"}}, {21_300 * ms, []string{"/r/a", "/r/b"}},
		}, calls)
	})
}

func TestAfterAnOverflowEverythingIsToldToHaveChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newFakeSystem(10)
		calls, problems := play(t, sys, justR, 0, func() {
			sys.failures <- errors.New("something odd")
			sys.failures <- fsnotify.ErrEventOverflow
			time.Sleep(time.Minute)
		})
		assert.Equal(t, []call{{300 * time.Millisecond, []string{"/r"}}}, calls)
		assert.Equal(t, []string{"something odd"}, problems)
	})
}

func TestWithoutRoomForWatchesEverythingIsLookedAtFromTimeToTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newFakeSystem(1)
		calls, problems := play(t, sys, fakeTree{"/r": {"/r", "/r/a"}}, 0, func() { time.Sleep(70 * time.Second) })
		assert.Equal(t, []call{{30 * time.Second, []string{"/r"}}, {60 * time.Second, []string{"/r"}}}, calls)
		require.Len(t, problems, 1)
		assert.Contains(t, problems[0], "after 1 folders")
		assert.Contains(t, problems[0], "every 30s")
	})
}

func TestAFolderTooManyGivesUpTheWatchesAndLooksAtEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sys := newFakeSystem(1)
		calls, problems := play(t, sys, fakeTree{"/r": {"/r"}, "/r/new": {"/r/new"}}, 0, func() {
			sys.events <- fsnotify.Event{Name: "/r/new", Op: fsnotify.Create}
			time.Sleep(31 * time.Second)
		})
		assert.Equal(t, []call{{0, []string{"/r", "/r/new"}}, {30 * time.Second, []string{"/r"}}}, calls)
		assert.Len(t, problems, 1)
	})
}

func TestASystemWithoutWatchesAtAllIsPolled(t *testing.T) {
	var told error
	w, err := start(t.Context(), justR, []string{"/r"}, Options{Problem: func(err error) { told = err }},
		func() (system, error) { return nil, &os.SyscallError{Syscall: "inotify_init", Err: syscall.EMFILE} })
	require.NoError(t, err)
	require.ErrorIs(t, told, ErrLimit)
	assert.Zero(t, w.Watched())
	require.NoError(t, w.Close())
}
