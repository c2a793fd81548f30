package repl

import (
	"context"
	"errors"
	"strings"
)

// Host is the program around a conversation: what commands need beside the agent. Texts that it returns are for people,
// without a line feed at their end; the conversation cleans and masks them. Its methods are never called concurrently.
type Host interface {
	// Index puts a folder or file into the knowledge base, or brings it up to date, and says what came of it. It tells on
	// the way what it does.
	Index(ctx context.Context, path string, tell func(doing string)) (string, error)
	// Locate is the file on this machine that the path of a citation stands for; "" when there is none.
	Locate(ctx context.Context, path string) (string, error)
	// Text is the text of an indexed file by the path of a citation, whose lines it counts; ok is false when the index does
	// not hold it any more.
	Text(ctx context.Context, path string) (text string, ok bool, err error)
	// Review lists the open reviews, or with words does what `kbagent review` does with them.
	Review(ctx context.Context, words []string) (string, error)
	// Model is the name of the model that answers; "" without one.
	Model() string
	// UseModel has another model answer from the next question on; "" is none.
	UseModel(ctx context.Context, name string) error
	// Settings are the settings that a question takes along, in a fixed order.
	Settings() []Setting
	// Set changes one of them, by its name, from the next question on.
	Set(name, value string) error
	// About says what the answers rest on, one line each: the knowledge base, where it is kept.
	About(ctx context.Context) ([]string, error)
}

// Setting is one setting of the questions of a conversation.
type Setting struct {
	Name    string // in lower case, without the prefix of the environment
	Value   string // as it is now
	Default string // of the program; "" when it depends on other settings
	Help    string // what it is for, and what it takes
	Changed bool   // by /set, in this conversation
}

var errNoHost = errors.New("this conversation has no knowledge base of its own that could be changed or read")

// host is the program around, or an error where there is none.
func (s *session) host() (Host, error) {
	if s.cfg.Host == nil {
		return nil, errNoHost
	}
	return s.cfg.Host, nil
}

// index adds documents while the conversation goes on.
func (s *session) index(ctx context.Context, path string) error {
	if path == "" {
		return s.wrong("/index", "a folder or file")
	}
	host, err := s.host()
	if err != nil {
		return err
	}
	s.screen.status("indexing…")
	tell := s.screen.status
	if s.screen.words {
		tell = func(string) {} // nobody wants to hear every file
	}
	told, err := host.Index(ctx, expandHome(unquote(path)), tell)
	if err != nil {
		return err
	}
	s.print(told)
	return nil
}

// review shows the reviews that wait for a person, and takes decisions.
func (s *session) review(ctx context.Context, arg string) error {
	host, err := s.host()
	if err != nil {
		return err
	}
	told, err := host.Review(ctx, strings.Fields(arg))
	if err != nil {
		return err
	}
	s.print(told)
	return nil
}

// unquote takes the quotation marks off that a path was pasted with.
func unquote(path string) string {
	for _, mark := range []string{`"`, "'"} {
		if len(path) > 1 && strings.HasPrefix(path, mark) && strings.HasSuffix(path, mark) {
			return path[1 : len(path)-1]
		}
	}
	return path
}
