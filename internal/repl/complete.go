package repl

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/reeflective/readline"
)

// candidate is one way to complete a line.
type candidate struct{ value, description string }

// completionTime is how long a Tab waits for the list of threads.
const completionTime = 300 * time.Millisecond

// completions is what Tab offers behind the text before the cursor.
func (s *session) completions(ctx context.Context, before string) readline.Completions {
	offers, err := s.candidates(ctx, before)
	if err != nil {
		return readline.CompleteMessage("%s", sentence(err))
	}
	var values []string
	for _, o := range offers {
		values = append(values, o.value, o.description)
	}
	list := readline.CompleteValuesDescribed(values...).NoSort()
	_, word, hasArgument := strings.Cut(before, " ")
	if !hasArgument {
		word = before
	}
	list.PREFIX = word
	return list
}

// candidates completes commands and their arguments; questions are not completed.
func (s *session) candidates(ctx context.Context, before string) ([]candidate, error) {
	if !isCommand(before) {
		return nil, nil
	}
	word, arg, hasArgument := strings.Cut(before, " ")
	if !hasArgument {
		return starting(before, s.commandNames()), nil
	}
	switch word {
	case "/mode":
		return starting(arg, modeNames()), nil
	case "/sources":
		return starting(arg, s.sourceNumbers()), nil
	case "/thread":
		names, err := s.threadNames(ctx)
		return starting(arg, names), err
	default:
		return nil, nil
	}
}

// starting is the candidates that start with prefix.
func starting(prefix string, all []candidate) []candidate {
	var some []candidate
	for _, c := range all {
		if strings.HasPrefix(c.value, prefix) {
			some = append(some, c)
		}
	}
	return some
}

func (s *session) commandNames() []candidate {
	var names []candidate
	for _, c := range commands() {
		names = append(names, candidate{c.name, c.does})
	}
	return names
}

func modeNames() []candidate {
	var names []candidate
	for _, m := range modes {
		names = append(names, candidate{value: string(m)})
	}
	return names
}

func (s *session) sourceNumbers() []candidate {
	var names []candidate
	for _, n := range s.cited {
		names = append(names, candidate{value: strconv.Itoa(n)})
	}
	return names
}

func (s *session) threadNames(ctx context.Context) ([]candidate, error) {
	if s.cfg.Threads == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	threads, err := s.cfg.Threads(ctx)
	var names []candidate
	for _, t := range threads {
		names = append(names, candidate{value: cleanLine(t)})
	}
	return names, err
}
