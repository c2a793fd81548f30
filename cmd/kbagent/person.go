package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// person is whoever answers questions on in, one line an answer. Questions go to out. Nothing is read ahead, so that
// what comes behind the answers is still there for others.
type person struct {
	in  io.Reader
	out io.Writer
}

// terminal is the terminal that the person sits at; ok is false where it is something else.
func (p person) terminal() (f *os.File, ok bool) {
	f, ok = p.in.(*os.File)
	return f, ok && isTerminal(f)
}

// errInputEnded says that there was no line where an answer should have been.
var errInputEnded = errors.New("the input ended before the last answer")

// ask puts a question and returns the answer without spaces around it; an empty one is fallback, which is shown. The
// error is that of ctx when it ends first.
func (p person) ask(ctx context.Context, question, fallback string) (string, error) {
	if fallback != "" {
		question += " [" + fallback + "]"
	}
	answer, err := p.line(ctx, question+": ", readLine)
	if answer == "" {
		answer = fallback
	}
	return answer, err
}

// secret is ask without echo.
func (p person) secret(ctx context.Context, question string) (string, error) {
	device, ok := p.terminal()
	if !ok {
		return p.line(ctx, question+": ", readLine)
	}
	before, err := term.GetState(int(device.Fd()))
	if err != nil {
		return "", err
	}
	answer, err := p.line(ctx, question+": ", func(io.Reader) (string, error) {
		typed, err := term.ReadPassword(int(device.Fd()))
		return string(typed), err
	})
	if ctx.Err() != nil {
		return "", errors.Join(err, term.Restore(int(device.Fd()), before)) // whoever read is still there, and with it no echo
	}
	fmt.Fprintln(p.out) // the Enter key was not shown either
	return answer, err
}

// agrees asks for yes or no; an empty answer is fallback, and so is one that is neither.
func (p person) agrees(ctx context.Context, question string, fallback bool) (bool, error) {
	choice := " [y/N] "
	if fallback {
		choice = " [Y/n] "
	}
	answer, err := p.line(ctx, question+choice, readLine)
	switch strings.ToLower(answer) {
	case "y", "yes":
		return true, err
	case "n", "no":
		return false, err
	}
	return fallback, err
}

// line shows a prompt and waits for read, in a goroutine that stays until the input moves or the program ends when ctx
// has ended before.
func (p person) line(ctx context.Context, prompt string, read func(io.Reader) (string, error)) (string, error) {
	if _, err := io.WriteString(p.out, prompt); err != nil {
		return "", err
	}
	type result struct {
		text string
		err  error
	}
	typed := make(chan result, 1)
	go func() {
		text, err := read(p.in)
		typed <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(p.out)
		return "", ctx.Err()
	case r := <-typed:
		if _, ok := p.terminal(); !ok {
			fmt.Fprintln(p.out) // nobody's Enter key has done it
		}
		if errors.Is(r.err, io.EOF) {
			r.err = errInputEnded
		}
		return strings.TrimSpace(r.text), r.err
	}
}

// readLine reads up to the end of a line, byte by byte: what follows is not touched.
func readLine(in io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := in.Read(b)
		switch {
		case n == 1 && b[0] == '\n':
			return string(line), nil
		case n == 1:
			line = append(line, b[0])
		case errors.Is(err, io.EOF) && len(line) > 0:
			return string(line), nil
		case err != nil:
			return "", err
		}
	}
}
