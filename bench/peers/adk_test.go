package peers_test

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"strconv"
	"testing"

	"google.golang.org/genai"
	gormsqlite "gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/workflowagent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/session/database"
	"google.golang.org/adk/v2/workflow"
)

// adk-go: package workflow. Its nodes pass values along the edges, there is no shared state: the state travels as output
// and input. What is kept of a run is the session's events, one or more a step; the bare workflow keeps nothing.
var adk = peer{
	name: "adk",
	loop: func(t testing.TB) work {
		app := must[*workflow.Workflow](t)(workflow.New("loop", adkLoop()))
		return work{run: func() error {
			s, err := adkLast[state](app.Run(adkContext{Context: context.Background()}))
			if err != nil {
				return err
			}
			return ended(s)
		}}
	},
	fanOut: func(t testing.TB) work {
		app := must[*workflow.Workflow](t)(workflow.New("fan-out", adkFanOut()))
		return work{run: func() error {
			b, err := adkLast[bag](app.Run(adkContext{Context: context.Background()}))
			if err != nil {
				return err
			}
			return gathered(b.Items)
		}}
	},
	history: func(t testing.TB) work {
		return adkDurable(t, session.InMemoryService)
	},
	sqlite: func(t testing.TB) work {
		dialect := gormsqlite.Open("file:" + filepath.Join(t.TempDir(), "adk.db") + "?_journal_mode=WAL&_synchronous=NORMAL&_busy_timeout=5000")
		service := must[session.Service](t)(database.NewSessionService(dialect, &gorm.Config{Logger: logger.Discard}))
		check(t, database.AutoMigrate(service))
		return adkDurable(t, func() session.Service { return service })
	},
}

// adkLoop is one node and the routes that it names.
func adkLoop() []workflow.Edge {
	loop := workflow.NewEmittingFunctionNode("loop", func(ctx agent.Context, s state, emit func(*session.Event) error) (any, error) {
		s = s.next()
		ev := session.NewEvent(ctx, ctx.InvocationID())
		ev.Output, ev.Routes = s, []string{"again"}
		if s.Count == loopSteps {
			ev.Routes[0] = "done"
		}
		return nil, emit(ev)
	}, workflow.NodeConfig{})
	begin := workflow.NewFunctionNode("begin", func(agent.Context, string) (state, error) { return state{}, nil }, workflow.NodeConfig{})
	done := workflow.NewFunctionNode("done", func(_ agent.Context, s state) (state, error) { return s, nil }, workflow.NodeConfig{})
	return []workflow.Edge{
		{From: workflow.Start, To: begin},
		{From: begin, To: loop},
		{From: loop, To: loop, Route: workflow.StringRoute("again")},
		{From: loop, To: done, Route: workflow.StringRoute("done")},
	}
}

func adkFanOut() []workflow.Edge {
	split := workflow.NewFunctionNode("split", func(agent.Context, string) (int, error) { return 0, nil }, workflow.NodeConfig{})
	join := workflow.NewJoinNode("join")
	sum := workflow.NewFunctionNode("sum", func(_ agent.Context, parts map[string]any) (bag, error) {
		var b bag
		for i := range fanOut {
			n, ok := parts["fetch "+strconv.Itoa(i)].(int)
			if !ok {
				return b, fmt.Errorf("%w: part %d is %v", errEnd, i, parts["fetch "+strconv.Itoa(i)])
			}
			b.Items = append(b.Items, n)
		}
		return b, nil
	}, workflow.NodeConfig{})
	edges := []workflow.Edge{{From: workflow.Start, To: split}, {From: join, To: sum}}
	for i := range fanOut {
		fetch := workflow.NewFunctionNode("fetch "+strconv.Itoa(i), func(_ agent.Context, n int) (int, error) { return n + i, nil }, workflow.NodeConfig{})
		edges = append(edges, workflow.Edge{From: split, To: fetch}, workflow.Edge{From: fetch, To: join})
	}
	return edges
}

// adkLast is the last output of a run.
func adkLast[T any](events iter.Seq2[*session.Event, error]) (last T, err error) {
	for ev, err := range events {
		if err != nil {
			return last, err
		}
		if v, ok := ev.Output.(T); ok {
			last = v
		}
	}
	return last, nil
}

// adkDurable runs the loop through a runner, each time in a session of its own.
func adkDurable(t testing.TB, open func() session.Service) work {
	loop := must[agent.Agent](t)(workflowagent.New(workflowagent.Config{Name: "loop", Edges: adkLoop()}))
	var service session.Service
	runs := 0
	return work{
		run: func() error {
			service = open()
			runs++
			r, err := runner.New(runner.Config{AppName: "bench", Agent: loop, SessionService: service, AutoCreateSession: true})
			if err != nil {
				return err
			}
			s, err := adkLast[state](r.Run(context.Background(), "u", strconv.Itoa(runs), genai.NewContentFromText("go", genai.RoleUser), agent.RunConfig{}))
			if err != nil {
				return err
			}
			return ended(s)
		},
		saved: func() error {
			got, err := service.Get(context.Background(), &session.GetRequest{AppName: "bench", UserID: "u", SessionID: strconv.Itoa(runs)})
			if err != nil {
				return err
			}
			return kept(got.Session.Events().Len())
		},
	}
}

// adkContext is the least that a bare workflow asks of an invocation.
type adkContext struct {
	context.Context
	branch string
}

func (adkContext) Agent() agent.Agent              { return nil }
func (adkContext) Artifacts() agent.Artifacts      { return nil }
func (adkContext) Memory() agent.Memory            { return nil }
func (adkContext) Session() session.Session        { return nil }
func (adkContext) InvocationID() string            { return "invocation" }
func (c adkContext) Branch() string                { return c.branch }
func (adkContext) IsolationScope() string          { return "" }
func (adkContext) UserContent() *genai.Content     { return nil }
func (adkContext) RunConfig() *agent.RunConfig     { return nil }
func (adkContext) EndInvocation()                  {}
func (adkContext) Ended() bool                     { return false }
func (adkContext) ResumedInput(string) (any, bool) { return nil, false }

func (c adkContext) WithContext(ctx context.Context) agent.InvocationContext {
	c.Context = ctx
	return c
}

func (c adkContext) WithICDelta(d *agent.InvocationContextDelta) agent.InvocationContext {
	if d != nil && d.Branch != nil {
		c.branch = *d.Branch
	}
	return c
}
