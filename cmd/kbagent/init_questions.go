package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/kbagent/kbagent/internal/config"
)

// settings asks for the endpoints and returns all variables that init is about; those that are not wanted are empty.
func (s *setup) settings(ctx context.Context) ([]config.Change, error) {
	p, err := s.preset(ctx)
	if err != nil {
		return nil, err
	}
	var model endpoint
	if p.name != noModel {
		if model, err = s.model(ctx, p); err != nil {
			return nil, err
		}
	} else if s.flags.baseURL+s.flags.model+s.flags.keyFile != "" {
		return nil, &usageError{errors.New("--base-url, --model and --api-key-file need a --server (other, if it is none of the known ones)")}
	}
	embedding, err := s.embedding(ctx, p, model)
	if err != nil {
		return nil, err
	}
	return []config.Change{
		{Name: "KB_AGENT_LLM_PROVIDER", Value: p.provider},
		{Name: "KB_AGENT_LLM_BASE_URL", Value: model.baseURL},
		{Name: "KB_AGENT_LLM_MODEL", Value: model.name},
		{Name: "KB_AGENT_LLM_API_KEY", Value: model.key},
		{Name: "KB_AGENT_EMBEDDING_BASE_URL", Value: embedding.baseURL},
		{Name: "KB_AGENT_EMBEDDING_MODEL", Value: embedding.name},
		{Name: "KB_AGENT_EMBEDDING_API_KEY", Value: embedding.key},
	}, nil
}

// endpoint is a model on a server.
type endpoint struct{ baseURL, name, key string }

func (s *setup) preset(ctx context.Context) (preset, error) {
	if s.asks("server") {
		fmt.Fprintln(s.std.err, "Which server has the model that writes the answers?")
		for _, p := range presets {
			fmt.Fprintf(s.std.err, "  %-10s %s\n", p.name, p.about)
		}
	}
	var found preset
	_, err := s.valid(ctx, "server", s.flags.server, "Server", presetOf(s.now.LLM), func(name string) (err error) {
		found, err = findPreset(strings.ToLower(name))
		return err
	})
	if now := s.now.LLM; found.name != noModel && found.name == presetOf(now) {
		found.baseURL, found.model, found.embedding = now.BaseURL, now.Model, s.now.Embedding.Model
		if now.Provider != "openai" {
			found.provider = now.Provider
		}
	}
	return found, err
}

func (s *setup) model(ctx context.Context, p preset) (m endpoint, err error) {
	if m.baseURL, err = s.setting(ctx, "KB_AGENT_LLM_BASE_URL", "base-url", s.flags.baseURL, "Its address", p.baseURL); err != nil {
		return m, err
	}
	if m.name, err = s.setting(ctx, "KB_AGENT_LLM_MODEL", "model", s.flags.model, "Name of the model", p.model); err != nil {
		return m, err
	}
	question, present := "Key, not shown; empty for none", ""
	switch {
	case m.baseURL == s.now.LLM.BaseURL && s.now.LLM.APIKey != "":
		question, present = "Key, not shown; empty for the present one", s.now.LLM.APIKey
	case p.key:
		question = "Key, not shown"
	}
	if m.key, err = s.key(ctx, "api-key-file", s.flags.keyFile, question); err != nil {
		return m, err
	}
	m.key = cmp.Or(m.key, present)
	if p.key && m.key == "" {
		return m, &usageError{fmt.Errorf("%s needs a key (--api-key-file)", p.about)}
	}
	return m, nil
}

// embedding asks for the embedding model; an empty name is none. Its server is by default that of the model.
func (s *setup) embedding(ctx context.Context, p preset, model endpoint) (e endpoint, err error) {
	usual := cmp.Or(p.embedding, noModel)
	if s.flags.yes {
		usual = noModel // nobody has seen the name of the usual one
	}
	e.name, err = s.text(ctx, "embedding-model", s.flags.embedModel, "Embedding model for search by meaning, or none", usual)
	if err != nil || e.name == "" || e.name == noModel {
		return endpoint{}, err
	}
	base := model.baseURL
	if p.provider != "" {
		base = "" // the protocol has no embeddings
	}
	if e.baseURL, err = s.setting(ctx, "KB_AGENT_EMBEDDING_BASE_URL", "embedding-base-url", s.flags.embedURL, "Its address", base); err != nil {
		return e, err
	}
	if e.baseURL == model.baseURL && !s.given("embedding-api-key-file") {
		e.key = model.key
		return e, nil
	}
	e.key, err = s.key(ctx, "embedding-api-key-file", s.flags.embedKeyFile, "Its key, not shown; empty for none")
	return e, err
}

// folder asks for a folder to index; "" is none.
func (s *setup) folder(ctx context.Context) (path string, err error) {
	_, err = s.valid(ctx, "folder", s.flags.folder, "Folder to index, empty for none", "", func(name string) (err error) {
		path, err = namedFolder(name)
		return err
	})
	return path, err
}

// namedFolder is the file or folder that somebody has typed, where no shell has replaced ~; "" for "".
func namedFolder(name string) (string, error) {
	if rest, home := strings.CutPrefix(name, "~"); home && (rest == "" || os.IsPathSeparator(rest[0])) {
		dir, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		name = dir + rest
	}
	if name == "" {
		return "", nil
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no such file or folder: %s", name)
	} else if err != nil {
		return "", err
	}
	return name, nil
}

// asks says whether a question is put: no flag answers it, and questions are wanted at all.
func (s *setup) asks(flag string) bool { return !s.given(flag) && !s.flags.yes }

// text is the value of a flag, the answer to a question, or its usual answer.
func (s *setup) text(ctx context.Context, flag, value, question, usual string) (string, error) {
	switch {
	case s.given(flag):
		return strings.TrimSpace(value), nil
	case s.flags.yes:
		return usual, nil
	}
	return s.person.ask(ctx, question, usual)
}

// valid is text that is checked. On a terminal a wrong answer is asked for again.
func (s *setup) valid(ctx context.Context, flag, value, question, usual string, check func(string) error) (string, error) {
	for {
		answer, err := s.text(ctx, flag, value, question, usual)
		if err != nil {
			return "", err
		}
		wrong := check(answer)
		if wrong == nil {
			return answer, nil
		}
		if !s.asks(flag) || !isTerminal(s.std.in) {
			return "", &usageError{fmt.Errorf("--%s: %w", flag, wrong)}
		}
		fmt.Fprintln(s.std.err, wrong)
	}
}

// setting is the value of a variable that must not be empty.
func (s *setup) setting(ctx context.Context, name, flag, value, question, usual string) (string, error) {
	return s.valid(ctx, flag, value, question, usual, func(text string) error {
		if text == "" {
			return errors.New("it is needed")
		}
		return config.Check(name, text)
	})
}

// key is the first line of a file, or typed.
func (s *setup) key(ctx context.Context, flag, file, question string) (string, error) {
	switch {
	case s.given(flag) && file == "-":
		return firstLine(s.std.in)
	case s.given(flag):
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("--%s: %w", flag, err)
		}
		defer f.Close()
		return firstLine(f)
	case s.flags.yes:
		return "", nil
	}
	return s.person.secret(ctx, question)
}

func firstLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(r).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSpace(line), err
}
