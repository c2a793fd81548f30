package peers_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/cloudwego/eino/compose"
	lgraph "github.com/smallnest/langgraphgo/graph"
	lstore "github.com/smallnest/langgraphgo/store"
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
	"github.com/kbagent/kbagent/graph/graphtest"
)

// runUntilCancelled runs a loop whose node cancels the run at step 10 and gives up by itself at the step tooFar.
func runUntilCancelled(t *testing.T, name string, tooFar int) (steps int, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	again := func() bool {
		steps++
		if steps == 10 {
			cancel()
		}
		return steps < tooFar
	}
	switch name {
	case "kbagent":
		g := graph.New[kbState]("loop")
		loop := g.Node("loop", func(context.Context, kbState) (string, error) { return "", nil })
		g.Start(loop)
		graph.Route(g, loop, func(kbState) string { return strconv.FormatBool(again()) }, graph.Case("true", loop), graph.Case("false", graph.End))
		_, err = must[*graph.App[kbState, string]](t)(g.Compile(graph.MaxSteps(2*tooFar))).Invoke(ctx, "")
	case "eino":
		g := compose.NewGraph[int, int]()
		check(t, g.AddLambdaNode("loop", compose.InvokableLambda(func(_ context.Context, n int) (int, error) { return n, nil })))
		check(t, g.AddEdge(compose.START, "loop"))
		check(t, g.AddBranch("loop", compose.NewGraphBranch(func(context.Context, int) (string, error) {
			if again() {
				return "loop", nil
			}
			return compose.END, nil
		}, map[string]bool{"loop": true, compose.END: true})))
		_, err = must[compose.Runnable[int, int]](t)(g.Compile(ctx, compose.WithMaxRunSteps(2*tooFar))).Invoke(ctx, 0)
	case "langgraphgo":
		g := lgraph.NewStateGraph[int]()
		g.AddNode("loop", "", func(_ context.Context, n int) (int, error) { return n, nil })
		g.SetEntryPoint("loop")
		g.AddConditionalEdge("loop", func(context.Context, int) string {
			if again() {
				return "loop"
			}
			return lgraph.END
		})
		_, err = must[*lgraph.StateRunnable[int]](t)(g.Compile()).Invoke(ctx, 0)
	case "adk":
		loop := workflow.NewEmittingFunctionNode("loop", func(ctx agent.Context, _ string, emit func(*session.Event) error) (any, error) {
			ev := session.NewEvent(ctx, ctx.InvocationID())
			ev.Output, ev.Routes = "on", []string{strconv.FormatBool(again())}
			return nil, emit(ev)
		}, workflow.NodeConfig{})
		app := must[*workflow.Workflow](t)(workflow.New("loop", []workflow.Edge{
			{From: workflow.Start, To: loop}, {From: loop, To: loop, Route: workflow.StringRoute("true")},
		}))
		_, err = adkLast[string](app.Run(adkContext{Context: ctx}))
	case "trpc":
		app := must[*tgraph.Executor](t)(tgraph.NewExecutor(must[*tgraph.Graph](t)(tgraph.NewStateGraph(tgraph.NewStateSchema()).
			AddNode("loop", func(context.Context, tgraph.State) (any, error) { return tgraph.State{}, nil }).
			AddConditionalEdges("loop", func(context.Context, tgraph.State) (string, error) {
				return strconv.FormatBool(again()), nil
			}, map[string]string{"true": "loop", "false": tgraph.End}).
			SetEntryPoint("loop").Compile()), tgraph.WithMaxSteps(2*tooFar)))
		events := must[<-chan *trpcEvent](t)(app.Execute(ctx, tgraph.State{}, &tagent.Invocation{InvocationID: "t"}))
		for e := range events {
			if e.Error != nil {
				err = errors.Join(err, errors.New(e.Error.Message))
			}
		}
	}
	return steps, err
}

var errDisk = errors.New("the disk is full")

// failingSave runs a loop with a store whose every save of a step fails, and returns the error of the run.
var failingSave = map[string]func(*testing.T) error{
	"kbagent": func(t *testing.T) error {
		store := graphtest.CrashAt(graph.NewMemoryStore(), 6, graphtest.FailBefore)
		_, err := kbLoop(t).Thread("t", graph.WithStore(store)).Invoke(context.Background(), "")
		return err
	},
	"langgraphgo": func(*testing.T) error {
		return lgDurable(func() lstore.CheckpointStore { return lgFullDisk{lgraph.NewMemoryCheckpointStore()} }).run()
	},
	"adk": func(t *testing.T) error {
		loop := must[agent.Agent](t)(workflowagent.New(workflowagent.Config{Name: "loop", Edges: adkLoop()}))
		service := adkFullDisk{Service: session.InMemoryService()}
		r := must[*runner.Runner](t)(runner.New(runner.Config{AppName: "bench", Agent: loop, SessionService: service, AutoCreateSession: true}))
		_, err := adkLast[state](r.Run(context.Background(), "u", "t", genai.NewContentFromText("go", genai.RoleUser), agent.RunConfig{}))
		return err
	},
	"trpc": func(t *testing.T) error { return trpcLoop(t, trpcFullDisk{inmemory.NewSaver()}).run() },
}

type lgFullDisk struct{ lstore.CheckpointStore }

func (lgFullDisk) Save(context.Context, *lstore.Checkpoint) error { return errDisk }

type adkFullDisk struct{ session.Service }

func (s adkFullDisk) AppendEvent(ctx context.Context, to session.Session, e *session.Event) error {
	if e.Output != nil {
		return errDisk
	}
	return s.Service.AppendEvent(ctx, to, e)
}

type trpcFullDisk struct{ *inmemory.Saver }

func (trpcFullDisk) Put(context.Context, tgraph.PutRequest) (map[string]any, error) {
	return nil, errDisk
}
func (trpcFullDisk) PutWrites(context.Context, tgraph.PutWritesRequest) error { return errDisk }
func (trpcFullDisk) PutFull(context.Context, tgraph.PutFullRequest) (map[string]any, error) {
	return nil, errDisk
}

// chains run four nodes in a row under a limit and return the names of those whose update is in the state.
var chains = map[string]func(t *testing.T, limit int) ([]string, error){
	"kbagent": func(t *testing.T, limit int) ([]string, error) {
		g := graph.New[kbJoined]("chain")
		var last graph.Node
		for i := range 4 {
			node := g.Node(fmt.Sprint(i), func(context.Context, kbJoined) (kbUpdate, error) {
				return kbUpdate{Names: []string{fmt.Sprint(i)}}, nil
			})
			if i == 0 {
				g.Start(node)
			} else {
				g.Edge(last, node)
			}
			last = node
		}
		g.Edge(last, graph.End)
		res, err := must[*graph.App[kbJoined, kbUpdate]](t)(g.Compile(graph.MaxSteps(limit))).Invoke(context.Background(), kbUpdate{})
		return res.State.Names, err
	},
	"eino": func(t *testing.T, limit int) ([]string, error) {
		g := compose.NewGraph[[]string, []string]()
		last := compose.START
		for i := range 4 {
			check(t, g.AddLambdaNode(fmt.Sprint(i), compose.InvokableLambda(func(_ context.Context, names []string) ([]string, error) {
				return append(names, fmt.Sprint(i)), nil
			})))
			check(t, g.AddEdge(last, fmt.Sprint(i)))
			last = fmt.Sprint(i)
		}
		check(t, g.AddEdge(last, compose.END))
		return must[compose.Runnable[[]string, []string]](t)(g.Compile(context.Background(), compose.WithMaxRunSteps(limit))).Invoke(context.Background(), nil)
	},
	"trpc": func(t *testing.T, limit int) ([]string, error) {
		schema := tgraph.NewStateSchema().AddField("names", tgraph.StateField{Type: typeOf[[]string](), Reducer: tgraph.StringSliceReducer})
		g := tgraph.NewStateGraph(schema)
		for i := range 4 {
			g.AddNode(fmt.Sprint(i), func(context.Context, tgraph.State) (any, error) {
				return tgraph.State{"names": []string{fmt.Sprint(i)}}, nil
			})
			if i > 0 {
				g.AddEdge(fmt.Sprint(i-1), fmt.Sprint(i))
			}
		}
		compiled := must[*tgraph.Graph](t)(g.SetEntryPoint("0").SetFinishPoint("3").Compile())
		j, err := trpcJoined(must[*tgraph.Executor](t)(tgraph.NewExecutor(compiled, tgraph.WithMaxSteps(limit))), tgraph.State{})
		return j.Names, err
	},
}
