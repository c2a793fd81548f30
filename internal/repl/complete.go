package repl

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/kbagent/kbagent/internal/mask"
)

// candidate is one way to complete a word.
type candidate struct{ value, description string }

// completionTime is how long a Tab waits for the list of threads.
const completionTime = 300 * time.Millisecond

// completer offers values for the argument of a command. It gets all of the argument and returns the word of it that is
// being completed.
type completer func(s *session, ctx context.Context, arg string) (word string, all []candidate, err error)

// completers are those of the commands that have one.
var completers = map[string]completer{
	"/mode":    plainWord(func(s *session) []candidate { return modeNames() }),
	"/compare": lastWord(func(s *session) []candidate { return modeNames() }),
	"/why":     plainWord(func(*session) []candidate { return []candidate{{value: "words"}, {value: "picture"}} }),
	"/model":   plainWord(func(*session) []candidate { return []candidate{{noModel, "answers quote the documents"}} }),
	"/help":    plainWord((*session).commandNames),
	"/sources": plainWord((*session).sourceNumbers),
	"/set":     plainWord((*session).settingNames),
	"/review":  plainWord(func(*session) []candidate { return reviewWords }),
	"/thread":  (*session).threadNames,
	"/index": func(_ *session, _ context.Context, arg string) (string, []candidate, error) {
		return arg, fileNames(arg), nil
	},
	"/export": (*session).exportNames,
}

// reviewWords are what /review does, beside showing one.
var reviewWords = []candidate{
	{"show", "one review with all about it"}, {"claim", "take one, so that nobody else decides it"}, {"release", "give it back"},
	{"approve", "the answer is right"}, {"correct", "give the right answer"}, {"reject", "the answer is wrong, and why"}, {"help", "what to write"},
}

// plainWord completes an argument of one word.
func plainWord(all func(*session) []candidate) completer {
	return func(s *session, _ context.Context, arg string) (string, []candidate, error) { return arg, all(s), nil }
}

// lastWord completes the last one of several words.
func lastWord(all func(*session) []candidate) completer {
	return func(s *session, _ context.Context, arg string) (string, []candidate, error) {
		return arg[strings.LastIndex(arg, " ")+1:], all(s), nil
	}
}

// candidates are what the word before the cursor may become, the best first. Commands and their arguments are completed,
// questions are not.
func (s *session) candidates(ctx context.Context, before string) (word string, offers []candidate, err error) {
	if !isCommand(before) {
		return "", nil, nil
	}
	name, arg, hasArgument := strings.Cut(before, " ")
	if !hasArgument {
		return before, matching(before, s.commandNames()), nil
	}
	complete, ok := completers[name]
	if !ok {
		return arg, nil, nil
	}
	word, all, err := complete(s, ctx, arg)
	return word, matching(word, all), err
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

func (s *session) settingNames() []candidate {
	if s.cfg.Host == nil {
		return nil
	}
	var names []candidate
	for _, v := range s.cfg.Host.Settings() {
		names = append(names, candidate{v.Name + "=", "now " + cleanLine(v.Value)})
	}
	return names
}

// threadNames completes the names of conversations, also by what was asked last.
func (s *session) threadNames(ctx context.Context, arg string) (string, []candidate, error) {
	if s.cfg.Threads == nil {
		return arg, nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	threads, err := s.cfg.Threads(ctx)
	var names []candidate
	for _, t := range threads {
		names = append(names, candidate{value: cleanLine(mask.Cards(t))})
	}
	return arg, names, err
}

// exportNames completes the format, and then a file.
func (s *session) exportNames(_ context.Context, arg string) (string, []candidate, error) {
	_, file, second := strings.Cut(arg, " ")
	if !second {
		return arg, []candidate{{"md", "Markdown"}, {"json", "JSON"}}, nil
	}
	return file, fileNames(file), nil
}

// fileNames are the files and folders of the folder that a path which is being typed is in. What cannot be listed has none.
func fileNames(typed string) []candidate {
	folder, start := filepath.Split(typed)
	entries, err := os.ReadDir(expandHome(filepath.Clean(folder + ".")))
	if err != nil {
		return nil
	}
	var names []candidate
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(start, ".") || cleanLine(e.Name()) != e.Name() {
			continue
		}
		name := folder + e.Name()
		if e.IsDir() {
			name += string(filepath.Separator)
		}
		names = append(names, candidate{value: name})
	}
	return names
}

// expandHome is a path with the home folder in the place of ~, as shells do it.
func expandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path // then it is a file with that name
	}
	return home + rest
}
