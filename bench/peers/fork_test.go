package peers_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"testing"

	"github.com/cloudwego/eino/compose"
	lgraph "github.com/smallnest/langgraphgo/graph"
	"google.golang.org/genai"
	tagent "trpc.group/trpc-go/trpc-agent-go/agent"
	tgraph "trpc.group/trpc-go/trpc-agent-go/graph"
	"trpc.group/trpc-go/trpc-agent-go/graph/checkpoint/inmemory"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/workflowagent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/workflow"

	"github.com/kbagent/kbagent/graph"
)

// A fork runs nodes side by side and then joins them. Every node adds its name to a list and may set one plain value.
type fork []forkNode

type forkNode struct {
	name string
	last string       // plain value that it sets; "" = it leaves that alone
	run  func() error // nil = nothing to do
}

func (n forkNode) do() error {
	if n.run == nil {
		return nil
	}
	return n.run()
}

// joined is the state of a fork, and its update.
type joined struct {
	Names []string `json:"names"`
	Last  string   `json:"last"`
}

// A forked is a fork on one runtime, with a place in memory to save to where there is one. Calling it runs it; calling it
// again goes on with what the run before has saved, or starts over where a failed run cannot be gone on with.
type forked func() (joined, error)

var forks = map[string]func(*testing.T, fork) forked{
	"kbagent": kbFork, "eino": einoFork, "langgraphgo": lgFork, "adk": adkFork, "trpc": trpcFork,
}

type kbJoined joined

type kbUpdate struct {
	Names []string
	Last  graph.Set[string]
}

func (j kbJoined) Apply(u kbUpdate) (kbJoined, error) {
	j.Names = graph.Append(j.Names, u.Names...)
	if last, ok := u.Last.Get(); ok {
		j.Last = last
	}
	return j, nil
}

func kbFork(t *testing.T, f fork) forked {
	g := graph.New[kbJoined]("fork")
	for _, n := range f {
		node := g.Node(n.name, func(context.Context, kbJoined) (kbUpdate, error) {
			u := kbUpdate{Names: []string{n.name}}
			if n.last != "" {
				u.Last = graph.To(n.last)
			}
			return u, n.do()
		})
		g.Start(node)
		g.Edge(node, graph.End)
	}
	thread := must[*graph.App[kbJoined, kbUpdate]](t)(g.Compile(graph.MaxConcurrency(len(f)))).Thread("t")
	started := false
	return func() (joined, error) {
		if started {
			res, err := thread.Resume(context.Background())
			return joined(res.State), err
		}
		started = true
		res, err := thread.Invoke(context.Background(), kbUpdate{})
		return joined(res.State), err
	}
}

func einoFork(t *testing.T, f fork) forked {
	g := compose.NewGraph[int, joined](compose.WithGenLocalState(func(context.Context) *joined { return &joined{} }))
	check(t, g.AddLambdaNode("join", compose.InvokableLambda(func(ctx context.Context, _ map[string]any) (out joined, err error) {
		return out, compose.ProcessState(ctx, func(_ context.Context, s *joined) error {
			out = *s
			return nil
		})
	})))
	check(t, g.AddEdge("join", compose.END))
	for _, n := range f {
		node := compose.InvokableLambda(func(ctx context.Context, in int) (int, error) {
			if err := n.do(); err != nil {
				return 0, err
			}
			return in, compose.ProcessState(ctx, func(_ context.Context, s *joined) error {
				s.Names = append(s.Names, n.name)
				if n.last != "" {
					s.Last = n.last
				}
				return nil
			})
		})
		check(t, g.AddLambdaNode(n.name, node, compose.WithOutputKey(n.name)))
		check(t, g.AddEdge(compose.START, n.name))
		check(t, g.AddEdge(n.name, "join"))
	}
	app := must[compose.Runnable[int, joined]](t)(g.Compile(context.Background(), compose.WithCheckPointStore(einoStore{})))
	return func() (joined, error) { return app.Invoke(context.Background(), 0, compose.WithCheckPointID("t")) }
}

type einoStore map[string][]byte

func (s einoStore) Get(_ context.Context, id string) ([]byte, bool, error) {
	data, ok := s[id]
	return data, ok, nil
}

func (s einoStore) Set(_ context.Context, id string, data []byte) error {
	s[id] = data
	return nil
}

func lgFork(t *testing.T, f fork) forked {
	g := lgraph.NewCheckpointableStateGraph[joined]()
	g.SetSchema(lgraph.NewStructSchema(joined{}, func(now, more joined) (joined, error) {
		now.Names = append(now.Names[:len(now.Names):len(now.Names)], more.Names...)
		if more.Last != "" {
			now.Last = more.Last
		}
		return now, nil
	}))
	nothing := func(context.Context, joined) (joined, error) { return joined{}, nil }
	g.AddNode("split", "", nothing)
	g.AddNode("join", "", nothing)
	g.SetEntryPoint("split")
	g.AddEdge("join", lgraph.END)
	for _, n := range f {
		g.AddNode(n.name, "", func(context.Context, joined) (joined, error) {
			return joined{[]string{n.name}, n.last}, n.do()
		})
		g.AddEdge("split", n.name)
		g.AddEdge(n.name, "join")
	}
	app := must[*lgraph.CheckpointableRunnable[joined]](t)(g.CompileCheckpointable())
	return func() (joined, error) {
		return app.InvokeWithConfig(context.Background(), joined{}, lgraph.WithThreadID("t"))
	}
}

// adkFork has no shared state: its list is what the join receives, by name, and there is no plain value.
func adkFork(t *testing.T, f fork) forked {
	join := workflow.NewJoinNode("join")
	sum := workflow.NewFunctionNode("sum", func(_ agent.Context, parts map[string]any) (joined, error) {
		var j joined
		for _, n := range f {
			if parts[n.name] != nil {
				j.Names = append(j.Names, n.name)
			}
		}
		return j, nil
	}, workflow.NodeConfig{})
	edges := []workflow.Edge{{From: join, To: sum}}
	for _, n := range f {
		node := workflow.NewFunctionNode(n.name, func(agent.Context, string) (string, error) { return n.name, n.do() }, workflow.NodeConfig{})
		edges = append(edges, workflow.Edge{From: workflow.Start, To: node}, workflow.Edge{From: node, To: join})
	}
	app := must[agent.Agent](t)(workflowagent.New(workflowagent.Config{Name: "fork", Edges: edges}))
	r := must[*runner.Runner](t)(runner.New(runner.Config{AppName: "fork", Agent: app, SessionService: session.InMemoryService(), AutoCreateSession: true}))
	return func() (joined, error) {
		return adkLast[joined](r.Run(context.Background(), "u", "t", genai.NewContentFromText("go", genai.RoleUser), agent.RunConfig{}))
	}
}

func trpcFork(t *testing.T, f fork) forked {
	schema := tgraph.NewStateSchema().
		AddField("names", tgraph.StateField{Type: typeOf[[]string](), Reducer: tgraph.StringSliceReducer}).
		AddField("last", tgraph.StateField{Type: typeOf[string](), Reducer: tgraph.DefaultReducer})
	nothing := func(context.Context, tgraph.State) (any, error) { return tgraph.State{}, nil }
	g := tgraph.NewStateGraph(schema).AddNode("split", nothing).AddNode("join", nothing).SetEntryPoint("split").SetFinishPoint("join")
	var names []string
	for _, n := range f {
		g.AddNode(n.name, func(context.Context, tgraph.State) (any, error) {
			u := tgraph.State{"names": []string{n.name}}
			if n.last != "" {
				u["last"] = n.last
			}
			return u, n.do()
		}).AddEdge("split", n.name)
		names = append(names, n.name)
	}
	saver := inmemory.NewSaver()
	app := trpcExecutor(t, saver, g.AddJoinEdge(names, "join"))
	return func() (joined, error) {
		in := tgraph.State{tgraph.CfgKeyLineageID: "t"}
		latest, err := saver.Get(context.Background(), tgraph.CreateCheckpointConfig("t", "", ""))
		if err == nil && latest != nil {
			in[tgraph.CfgKeyCheckpointID] = latest.ID
		}
		return trpcJoined(app, in)
	}
}

// trpcJoined runs a graph and decodes what of joined its last event has.
func trpcJoined(app *tgraph.Executor, in tgraph.State) (j joined, err error) {
	events, err := app.Execute(context.Background(), in, &tagent.Invocation{InvocationID: strconv.Itoa(len(in))})
	if err != nil {
		return j, err
	}
	for e := range events {
		if e.Error != nil {
			err = errors.Join(err, errors.New(e.Error.Message))
		}
		for field, into := range map[string]any{"names": &j.Names, "last": &j.Last} {
			if data := e.StateDelta[field]; e.Done && data != nil {
				err = errors.Join(err, json.Unmarshal(data, into))
			}
		}
	}
	return j, err
}
