package eval

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
)

// A UsageError says what is wrong with a call: an unknown task, set or part, or a folder without the data.
type UsageError struct{ message string }

func (e *UsageError) Error() string { return e.message }

func usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// source is where the data of a run lies.
type source struct {
	dir  string // holds one folder a set
	part string // dev or heldout
}

// cases reads DIR/SET/PART/NAME.jsonl.
func cases[T any](s source, set, name string) ([]T, error) {
	return rows[T](filepath.Join(s.dir, set, s.part, name+".jsonl"))
}

// corpus reads DIR/SET/NAME.jsonl.
func corpus[T any](s source, set, name string) ([]T, error) {
	return rows[T](filepath.Join(s.dir, set, name+".jsonl"))
}

// rows reads a file of JSON lines. A file that does not exist is a *UsageError.
func rows[T any](path string) (list []T, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("there is no %s: --data is the folder of the data sets, --part one of its parts", path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the data: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var row T
			if err := json.Unmarshal(line, &row); err != nil {
				return nil, fmt.Errorf("%s line %d: %w", path, n, err)
			}
			list = append(list, row)
		}
		if err == io.EOF {
			return list, nil
		}
	}
}
