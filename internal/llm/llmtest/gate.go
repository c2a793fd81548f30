package llmtest

import "sync"

// Gate holds a reply back until the test opens it, and tells the test that the request is there. No
// test needs to sleep. Make one with [NewGate] for each reply that is to wait.
type Gate struct {
	arrive, open sync.Once
	arrived      chan struct{}
	opened       chan struct{}
}

// NewGate returns a closed gate.
func NewGate() *Gate {
	return &Gate{arrived: make(chan struct{}), opened: make(chan struct{})}
}

// Arrived is closed when a request waits at the gate.
func (g *Gate) Arrived() <-chan struct{} { return g.arrived }

// Open lets through whatever waits now or later. Opening twice is fine.
func (g *Gate) Open() { g.open.Do(func() { close(g.opened) }) }

// pass waits at the gate; false when the client or the server goes away first.
func (g *Gate) pass(x *exchange) bool {
	g.arrive.Do(func() { close(g.arrived) })
	select {
	case <-g.opened:
		return true
	case <-x.r.Context().Done():
	case <-x.closing:
	}
	return false
}

// Slow holds back the whole reply, header included. If nobody opens the gate before the client goes,
// nothing is sent.
func Slow(g *Gate, reply Reply) Reply {
	return Reply{func(x *exchange) {
		if g.pass(x) {
			reply.serve(x)
		}
	}}
}

// Stall streams before, waits at the gate, and streams after and the good end. It needs a request
// that streams; another one waits at the gate and gets both at once.
func Stall(g *Gate, before, after string) Reply {
	return Reply{func(x *exchange) {
		if !x.request.Stream {
			Slow(g, Text(before+after)).serve(x)
			return
		}
		x.begin()
		x.words(before)
		if g.pass(x) {
			x.words(after)
			x.finish("stop")
		}
	}}
}
