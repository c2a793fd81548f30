package repl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kbagent/kbagent/internal/near"
	"github.com/kbagent/kbagent/state"
)

// model shows or changes the model that answers.
func (s *session) model(ctx context.Context, name string) error {
	host, err := s.host()
	if err != nil {
		return err
	}
	switch name {
	case "":
	case noModel:
		err = host.UseModel(ctx, "")
	default:
		err = host.UseModel(ctx, name)
	}
	if err != nil {
		return err
	}
	if now := host.Model(); now != "" {
		s.screen.println("Model: " + cleanLine(now))
		return nil
	}
	s.screen.println("No model: answers quote the documents.")
	return nil
}

// noModel is the name that /model takes for none.
const noModel = "none"

// set shows the settings of the next questions, or changes one: NAME=VALUE.
func (s *session) set(_ context.Context, arg string) error {
	host, err := s.host()
	if err != nil {
		return err
	}
	name, value, assigned := strings.Cut(arg, "=")
	if !assigned {
		name, value, assigned = strings.Cut(arg, " ")
	}
	name, value = settingName(name), strings.TrimSpace(value)
	all := host.Settings()
	i := slices.IndexFunc(all, func(v Setting) bool { return v.Name == name })
	switch {
	case arg == "":
		s.printSettings(all)
		return nil
	case i < 0:
		return unknownSetting(name, all)
	case !assigned:
		s.printSetting(all[i])
		return nil
	}
	if err := host.Set(name, value); err != nil {
		return err
	}
	if name == answerMode {
		s.mode = "" // the setting counts from now on
	}
	s.printSetting(host.Settings()[i])
	return nil
}

// answerMode is the setting that /mode changes too.
const answerMode = "answer_mode"

// settingName is a name as somebody types it: also that of the environment.
func settingName(typed string) string {
	return strings.TrimPrefix(strings.ToLower(strings.TrimSpace(typed)), "kb_agent_")
}

func unknownSetting(name string, all []Setting) error {
	var names []string
	for _, v := range all {
		names = append(names, v.Name)
	}
	if meant := near.Nearest(name, names, 3); meant != "" {
		return fmt.Errorf("a question has no setting %s; did you mean %s?", name, meant)
	}
	return fmt.Errorf("a question has no setting %s; /set lists those that it has", name)
}

// printSettings lists settings; a star marks those that this conversation has changed.
func (s *session) printSettings(all []Setting) {
	width := 0
	for _, v := range all {
		width = max(width, utf8.RuneCountInString(v.Name))
	}
	columns, _ := s.screen.size()
	for _, v := range all {
		s.screen.println(cut(fmt.Sprintf("%s%-*s  %s", s.mark(v.Changed), width, v.Name, cleanLine(v.Value)), columns-1))
	}
	s.screen.println("/set NAME tells what one is for, /set NAME=VALUE changes it for this conversation.")
}

func (s *session) printSetting(v Setting) {
	s.screen.println(fmt.Sprintf("%s=%s", v.Name, cleanLine(v.Value)))
	s.screen.println("  " + cleanLine(v.Help))
}

// modes is what /mode and /compare take.
var modes = []state.AnswerMode{state.ModeStrict, state.ModeBestEffort, state.ModeOpen}

func (s *session) setMode(_ context.Context, name string) error {
	if name != "" {
		if !slices.Contains(modes, state.AnswerMode(name)) {
			return s.wrong("/mode", "strict, best_effort or open")
		}
		s.mode = state.AnswerMode(name)
	}
	if s.mode == "" {
		s.screen.println("Mode: as configured (/mode strict, best_effort or open changes it).")
		return nil
	}
	s.screen.println("Mode: " + string(s.mode))
	return nil
}
