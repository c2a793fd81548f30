package sealed_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/sealed"
)

// Any store can be sealed. What it keeps can be read with the key alone.
func Example() {
	key := make([]byte, sealed.KeySize)
	rand.Read(key) // in earnest: from a secret store, the same at every start
	inner := graph.NewMemoryStore()
	store, err := sealed.New(inner, key)
	if err != nil {
		fmt.Println(err)
		return
	}

	g := graph.New[graph.Simple[string]]("greeter")
	greet := g.Node("greet", func(_ context.Context, name graph.Simple[string]) (string, error) {
		return "Hello " + name.Value, nil
	})
	g.Start(greet)
	g.Edge(greet, graph.End)
	app, err := g.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	res, err := app.Thread("t1", graph.WithStore(store)).Invoke(ctx, "Ada")
	fmt.Println(res.State.Value, err)

	rec, err := inner.Load(ctx, "t1")
	fmt.Println("readable inside:", bytes.Contains(rec.Log[0].Data, []byte("Ada")), err)
	// Output:
	// Hello Ada <nil>
	// readable inside: false <nil>
}

// The first key writes, the old ones only read.
func ExampleNew_rotation() {
	before, now := bytes.Repeat([]byte{1}, sealed.KeySize), bytes.Repeat([]byte{2}, sealed.KeySize)
	store, err := sealed.New(graph.NewMemoryStore(), now, before)
	fmt.Println(store != nil, err)
	_, err = sealed.New(graph.NewMemoryStore(), []byte("a password"))
	fmt.Println(err)
	// Output:
	// true <nil>
	// sealed: the key has 10 bytes, it must have 32
}
