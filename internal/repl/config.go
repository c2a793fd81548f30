package repl

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
)

// Agent is what the conversation is with; [agent.Agent] is one. Its methods are never called concurrently, but State
// is called while a sequence of Ask is being ranged over.
type Agent interface {
	Ask(ctx context.Context, q agent.Question) iter.Seq2[agent.Event, error]
	Again(ctx context.Context, q agent.Question) iter.Seq2[agent.Event, error]
	State(ctx context.Context, thread string) (state.AgentState, bool, error)
	Resume(ctx context.Context, thread string, answers ...graph.Option) iter.Seq2[agent.Event, error]
	Thread(id string) *agent.Thread
	Topology() graph.Topology
}

// Config is one conversation. Agent, In, Out and Err are required.
type Config struct {
	Agent Agent
	Host  Host // default none: the commands that need one say so

	In       io.Reader // questions and commands
	Out, Err io.Writer // answers; errors

	// Interactive says that both standard input and standard output are terminals that obey cursor control. The line
	// editor then works on os.Stdin and os.Stdout, which In and Out must be.
	Interactive bool
	NoColor     bool // no colours on a terminal either
	Links       bool // the terminal opens hyperlinks (OSC 8); without it places are told as path:line

	// Plain is for screen readers, and for terminals that obey nothing: only text that stays, words in the place of
	// symbols, whole answers. With Interactive lines are edited by the terminal itself.
	Plain bool

	Thread string           // the conversation to go on with; default a new one
	Mode   state.AnswerMode // of the questions; default the agent's

	NewThread func() string                               // names of new threads; default random
	Threads   func(ctx context.Context) ([]string, error) // all threads, for /thread and completion; default unknown

	HistoryFile string   // lines that were entered on a terminal; default they are forgotten at the end
	Banner      []string // shown first on a terminal

	// Signals is Ctrl-C. It stops the question or command that is being worked on, and without a terminal also the
	// conversation. On a terminal it must not be delivered otherwise, or it ends the program. Default none.
	Signals <-chan os.Signal
}

func (c Config) withDefaults() (Config, error) {
	if c.Agent == nil || c.In == nil || c.Out == nil || c.Err == nil {
		return c, errors.New("repl: Agent, In, Out and Err are required")
	}
	if c.NewThread == nil {
		c.NewThread = func() string { return strings.ToLower(rand.Text()[:12]) }
	}
	if c.Thread == "" {
		c.Thread = c.NewThread()
	}
	return c, nil
}
