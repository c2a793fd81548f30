package repl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// historyLimit is how many entries are kept. The file may grow to twice that before it is cut.
const historyLimit = 1000

// history is what was entered, oldest first. In its file each entry is a JSON string on a line of its own, so that a
// text of several lines is one entry. It is for one goroutine; several programs may append to one file.
//
// The line editor brings a history of its own, which loses everything behind an entry of 64 KB and never cuts its file.
type history struct {
	file    string // "" = in memory only
	entries []string
	torn    bool // the file ends within a line, which a program that was killed left behind
}

// openHistory reads the file, which need not exist, and makes its folder. The history works in memory also when it
// returns an error.
func openHistory(file string) (*history, error) {
	if file == "" {
		return &history{}, nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return &history{}, fmt.Errorf("make the folder of the history: %w", err)
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &history{file: file}, nil
	}
	if err != nil {
		return &history{}, fmt.Errorf("read the history: %w", err)
	}
	h := &history{file: file}
	if err := errors.Join(h.read(f), f.Close()); err != nil {
		return &history{}, fmt.Errorf("read the history: %w", err)
	}
	if len(h.entries) > 2*historyLimit {
		h.entries = slices.Clone(h.entries[len(h.entries)-historyLimit:])
		return h, h.rewrite()
	}
	return h, nil
}

// read takes the entries of a file and skips lines that are none.
func (h *history) read(file io.Reader) error {
	for in := bufio.NewReader(file); ; {
		line, err := in.ReadBytes('\n')
		var entry string
		if json.Unmarshal(line, &entry) == nil && entry != "" {
			h.entries = append(h.entries, entry)
		}
		if errors.Is(err, io.EOF) {
			h.torn = len(line) > 0
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// rewrite replaces the file by the entries.
func (h *history) rewrite() error {
	var all bytes.Buffer
	for _, entry := range h.entries {
		all.Write(encodeEntry(entry))
	}
	temporary := h.file + ".new"
	if err := os.WriteFile(temporary, all.Bytes(), 0o600); err != nil {
		return fmt.Errorf("cut the history: %w", err)
	}
	if err := os.Rename(temporary, h.file); err != nil {
		return fmt.Errorf("cut the history: %w", err)
	}
	h.torn = false
	return nil
}

func encodeEntry(entry string) []byte {
	line, err := json.Marshal(entry)
	if err != nil { // a string always marshals
		panic("repl: " + err.Error())
	}
	return append(line, '\n')
}

// Write adds an entry, unless it repeats the last one. It is part of [readline.History], which shows the error.
func (h *history) Write(entry string) (int, error) {
	entry = strings.TrimSpace(entry)
	if n := len(h.entries); entry == "" || n > 0 && h.entries[n-1] == entry {
		return n, nil
	}
	h.entries = append(h.entries, entry)
	if h.file == "" {
		return len(h.entries), nil
	}
	f, err := os.OpenFile(h.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return len(h.entries), fmt.Errorf("keep the history: %w", err)
	}
	line := encodeEntry(entry)
	if h.torn {
		line = append([]byte("\n"), line...)
	}
	_, err = f.Write(line)
	h.torn = false
	return len(h.entries), errors.Join(err, f.Close())
}

// GetLine is the entry at i, from 0.
func (h *history) GetLine(i int) (string, error) {
	if i < 0 || i >= len(h.entries) {
		return "", fmt.Errorf("the history has no entry %d", i)
	}
	return h.entries[i], nil
}

// Len is the number of entries.
func (h *history) Len() int { return len(h.entries) }

// Dump is all entries.
func (h *history) Dump() any { return h.entries }
