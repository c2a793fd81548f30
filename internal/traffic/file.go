package traffic

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// FormatError reports a file that is no whole recording.
type FormatError struct {
	Name   string // of the file
	Line   int    // from 1
	Reason string
}

// Error says what is wrong and where.
func (e *FormatError) Error() string {
	return fmt.Sprintf("traffic: %s:%d: %s", e.Name, e.Line, e.Reason)
}

// readFile reads a whole recording: its head, and its exchanges as they stand.
func readFile(r io.Reader, name string) (head, []*exchange, error) {
	f := fileReader{in: bufio.NewReader(r), name: name}
	first, err := f.next()
	if err != nil {
		return head{}, nil, err
	}
	switch {
	case first.Head == nil:
		return head{}, nil, f.fault("it does not begin as a recording does")
	case first.Head.Version != version:
		return head{}, nil, f.fault("it has the version %d of the format; this program reads version %d", first.Head.Version, version)
	}
	var all []*exchange
	for {
		l, err := f.next()
		switch {
		case err != nil:
			return head{}, nil, err
		case l.Head != nil:
			return head{}, nil, f.fault("another recording begins inside")
		case l.Exchange != nil:
			l.Exchange.at = f.line
			all = append(all, l.Exchange)
		case l.End.Exchanges != len(all):
			return head{}, nil, f.fault("it holds %d exchanges and says that it has %d", len(all), l.End.Exchanges)
		default:
			return *first.Head, all, f.atEnd()
		}
	}
}

// fileReader reads the lines of a recording.
type fileReader struct {
	in   *bufio.Reader
	name string
	line int
}

// next reads one line. That there is none is an error: only the end line ends a recording.
func (f *fileReader) next() (line, error) {
	f.line++
	raw, err := f.in.ReadBytes('\n')
	switch {
	case errors.Is(err, io.EOF) && len(raw) == 0:
		return line{}, f.fault("it has no end: the recording was cut")
	case errors.Is(err, io.EOF):
		return line{}, f.fault("the line has no end: the recording was cut")
	case err != nil:
		return line{}, fmt.Errorf("traffic: read %s: %w", f.name, err)
	}
	var l line
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&l); err != nil {
		return line{}, f.fault("it is no line of a recording (%v)", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return line{}, f.fault("something follows on the line")
	}
	set := 0
	for _, there := range []bool{l.Head != nil, l.Exchange != nil, l.End != nil} {
		if there {
			set++
		}
	}
	if set != 1 {
		return line{}, f.fault("it is no line of a recording")
	}
	if l.Exchange != nil {
		if err := l.Exchange.check(); err != nil {
			return line{}, f.fault("%v", err)
		}
	}
	return l, nil
}

// atEnd refuses what stands behind the end line.
func (f *fileReader) atEnd() error {
	f.line++
	_, err := f.in.ReadByte()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fmt.Errorf("traffic: read %s: %w", f.name, err)
	}
	return f.fault("something follows the end of the recording")
}

func (f *fileReader) fault(format string, args ...any) error {
	return &FormatError{Name: f.name, Line: f.line, Reason: fmt.Sprintf(format, args...)}
}
