package repl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// lineSource is where lines come from.
type lineSource interface {
	// next is the next line without its end. It returns io.EOF behind the last one, ErrInterrupted when Ctrl-C was
	// pressed instead, and the cause of ctx when that has ended.
	next(ctx context.Context) (string, error)
}

func (s *session) input(ctx context.Context) lineSource {
	if s.screen.live {
		return newEditor(s)
	}
	lines := newPlainLines(ctx, s.cfg.In, s.cfg.Signals)
	if s.cfg.Interactive {
		lines.prompt = s.screen.prompt
	}
	return lines
}

// plainLines reads lines of any length without echo. A goroutine reads one line ahead, so that Ctrl-C and the end of
// the context are noticed while the input is silent.
type plainLines struct {
	lines   chan plainLine
	signals <-chan os.Signal
	prompt  func() // asks for a line; nil where nobody is there to be asked
}

type plainLine struct {
	text string
	err  error
}

func newPlainLines(ctx context.Context, in io.Reader, signals <-chan os.Signal) *plainLines {
	p := &plainLines{lines: make(chan plainLine), signals: signals}
	go p.read(ctx, bufio.NewReader(in))
	return p
}

// read sends lines until one fails or nobody wants them any more. The last line may lack its line feed.
func (p *plainLines) read(ctx context.Context, in *bufio.Reader) {
	for {
		text, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) && text != "" {
			err = nil // the next read finds the end again
		}
		select {
		case p.lines <- plainLine{strings.TrimRight(text, "\r\n"), err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (p *plainLines) next(ctx context.Context) (string, error) {
	if p.prompt != nil {
		p.prompt()
	}
	for {
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case _, ok := <-p.signals:
			if ok {
				return "", ErrInterrupted
			}
			p.signals = nil
		case line := <-p.lines:
			if line.err != nil && !errors.Is(line.err, io.EOF) {
				return "", fmt.Errorf("read the questions: %w", line.err)
			}
			return line.text, line.err
		}
	}
}
