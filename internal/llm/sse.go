package llm

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxEvent bounds one event of a stream, in bytes.
const maxEvent = 16 << 20

// sseReader cuts a text/event-stream into events as the WHATWG HTML standard (§9.2) says, with three
// differences: an event that the end of the stream cuts off is still delivered (some servers omit the
// last blank line, and a half one fails to parse, as it should), a line that is no field is an error,
// and a lone carriage return ends no line.
type sseReader struct {
	r     *bufio.Reader
	begun bool
}

// sseEvent is one event. Name is "" unless the server named it.
type sseEvent struct {
	Name string
	Data []byte
}

func newSSEReader(r io.Reader) *sseReader { return &sseReader{r: bufio.NewReader(r)} }

// next returns the next event that has data; io.EOF after the last.
func (s *sseReader) next() (sseEvent, error) {
	var event sseEvent
	var seen bool
	for {
		line, err := s.line()
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
			if errors.Is(err, io.EOF) && seen {
				return event, nil
			}
			return sseEvent{}, err
		}
		if len(line) == 0 {
			if seen {
				return event, nil
			}
			event = sseEvent{}
			continue
		}
		if seen, err = event.add(line, seen); err != nil {
			return sseEvent{}, err
		}
	}
}

// add takes one line that is not blank and tells whether the event has data.
func (e *sseEvent) add(line []byte, seen bool) (bool, error) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if seen {
			e.Data = append(e.Data, '\n')
		}
		if len(e.Data)+len(value) > maxEvent {
			return false, fmt.Errorf("an event is larger than %d bytes", maxEvent)
		}
		e.Data = append(e.Data, value...)
		return true, nil
	case "event":
		e.Name = string(value)
	case "", "id", "retry": // comments and what matters only to browsers
	default:
		return false, errors.New("a line is no field of an event stream")
	}
	return seen, nil
}

// line returns one line without its end; the last one may come together with io.EOF.
func (s *sseReader) line() ([]byte, error) {
	var line []byte
	for {
		part, err := s.r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxEvent {
			return nil, fmt.Errorf("a line is longer than %d bytes", maxEvent)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if !s.begun {
			line, s.begun = bytes.TrimPrefix(line, []byte("\uFEFF")), true
		}
		line = bytes.TrimSuffix(line, []byte("\n"))
		return bytes.TrimSuffix(line, []byte("\r")), err
	}
}
