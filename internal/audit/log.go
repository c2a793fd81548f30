package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Log appends entries to a file. It is safe for concurrent use, also by several processes that opened the same file.
type Log struct {
	hider
	mu   sync.Mutex
	file *os.File
}

// Open opens the log at path for appending, and creates it and its folders where they are missing, readable for their
// owner only. The caller closes it.
func Open(path string, opts ...Option) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the audit log cannot be made: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the audit log cannot be opened: %w", err)
	}
	return &Log{hider: newHider(opts), file: file}, nil
}

// Write appends one line. An entry that cannot be encoded is not written at all; after [Log.Close] the error wraps
// [os.ErrClosed].
func (l *Log) Write(e Entry) error {
	text, err := l.encode(e)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	cut, err := l.endsInsideLine()
	if err != nil {
		return fmt.Errorf("the audit log cannot be read: %w", err)
	}
	if cut {
		text = append([]byte{'\n'}, text...)
	}
	if _, err := l.file.Write(text); err != nil {
		return fmt.Errorf("the audit log cannot be written: %w", err)
	}
	return nil
}

// endsInsideLine reports whether the file ends in the middle of a line, because whoever wrote it was killed. It is asked
// before each line: the other process may die at any time.
func (l *Log) endsInsideLine() (bool, error) {
	info, err := l.file.Stat()
	if err != nil || info.Size() == 0 || !info.Mode().IsRegular() {
		return false, err
	}
	var last [1]byte
	if _, err := l.file.ReadAt(last[:], info.Size()-1); err != nil {
		return false, err
	}
	return last[0] != '\n', nil
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("the audit log cannot be closed: %w", err)
	}
	return nil
}
