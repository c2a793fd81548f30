package graph_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// A shape is a random graph as plain data: what the engine is built from and what the interpreter reads.
// Tasks are named by step and id: "3/n1#2".
type shape struct {
	nodes  []shapeNode     // node 0 is the start
	bulk   int             // bytes that every word is longer: with enough of them snapshots are taken
	fails  map[string]int  // task → how many calls of Invoke or Resume it fails for good
	doomed map[string]bool // task → it always fails; only where the node has a handler
}

type shapeNode struct {
	name      string
	kind      string // plain, route, dynamic, work, handler
	edges     []int  // always
	branches  [][]int
	targets   []int // dynamic: plain targets, one of which it goes to
	sends     int   // dynamic: index of a work node, -1 without
	deferred  bool
	join      []int // sources of the join into this node
	attempts  int   // of its Retry
	transient int   // in every call the first attempts of a task fail (< attempts)
	asks      int   // questions
	together  bool  // it asks them all at once
	handler   int   // index of its error handler, -1 without
}

const shapeEnd = -1

func (n shapeNode) choice(count, options int) int { return (count*7 + len(n.name)) % options }

// says is an update with one word.
func (s *shape) says(word string) step {
	return step{Path: []string{word + strings.Repeat(".", s.bulk)}}
}

// answerTo is what everybody answers to a question, so that the order of answers makes no difference.
func answerTo(task, key string) int { return 10*len(task) + len(key) + int(task[0]) }

// genShape draws a graph; most are such that Compile accepts them.
func genShape(t *rapid.T) shape {
	n := rapid.IntRange(2, 6).Draw(t, "nodes")
	s := shape{fails: map[string]int{}, doomed: map[string]bool{}}
	for i := range n {
		node := shapeNode{name: fmt.Sprintf("n%d", i), sends: -1, handler: -1, attempts: 1}
		node.kind = rapid.SampledFrom([]string{"plain", "route", "route", "dynamic", "work"}).Draw(t, "kind")
		if i == 0 && node.kind == "work" {
			node.kind = "dynamic"
		}
		node.deferred = i > 0 && rare(t, "deferred", 5)
		s.nodes = append(s.nodes, node)
	}
	s.genEdges(t)
	for i := 1; i < n; i++ {
		if s.nodes[i].kind != "work" && rare(t, "joined", 3) {
			s.nodes[i].join = rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 1, 2, rapid.ID).Draw(t, "join")
			slices.Sort(s.nodes[i].join)
		}
	}
	s.genTrouble(t)
	if rare(t, "bulky", 7) {
		s.bulk = 8 << 10
	}
	return s
}

func rare(t *rapid.T, label string, odds int) bool {
	return rapid.IntRange(0, odds).Draw(t, label) == 0
}

func (s *shape) genEdges(t *rapid.T) {
	target := rapid.Custom(func(t *rapid.T) int {
		i := rapid.IntRange(shapeEnd, len(s.nodes)-1).Draw(t, "target")
		if i >= 0 && s.nodes[i].kind == "work" {
			return shapeEnd
		}
		return i
	})
	set := func(label string, least int) []int {
		list := rapid.SliceOfNDistinct(target, least, 3, rapid.ID).Draw(t, label)
		slices.Sort(list)
		return list
	}
	for i := range s.nodes {
		node := &s.nodes[i]
		switch node.kind {
		case "plain", "work":
			node.edges = onward(set("edges", 0), i)
		case "route":
			node.edges = onward(set("edges", 0), i)
			node.branches = [][]int{set("branch", 1), {shapeEnd}, set("branch", 1)}
		case "dynamic":
			node.targets = append(onward(set("targets", 0), i), shapeEnd)
			slices.Sort(node.targets)
			node.targets = slices.Compact(node.targets)
			node.sends = rapid.IntRange(-1, len(s.nodes)-1).Draw(t, "sends")
			if node.sends >= 0 && s.nodes[node.sends].kind != "work" {
				node.sends = -1
			}
		}
	}
}

// onward keeps static edges that lead forward, so that no cycle lacks a decision; END is added when nothing is left.
func onward(list []int, from int) []int {
	list = slices.DeleteFunc(list, func(to int) bool { return to != shapeEnd && to <= from })
	if len(list) == 0 {
		return []int{shapeEnd}
	}
	return list
}

// genTrouble adds questions, retries, handlers and failures.
func (s *shape) genTrouble(t *rapid.T) {
	n := len(s.nodes)
	handler := -1
	for i := range n {
		node := &s.nodes[i]
		if rare(t, "asks", 3) {
			node.asks, node.together = rapid.IntRange(1, 2).Draw(t, "questions"), rapid.Bool().Draw(t, "together")
		}
		if rare(t, "retries", 4) {
			node.attempts = rapid.IntRange(2, 3).Draw(t, "attempts")
			node.transient = rapid.IntRange(0, node.attempts-1).Draw(t, "transient")
		}
		if rare(t, "handled", 3) {
			if handler < 0 {
				handler = len(s.nodes)
				s.nodes = append(s.nodes, shapeNode{
					name: "handler", kind: "handler", sends: -1, handler: -1, attempts: 1,
					edges: []int{shapeEnd}, deferred: rare(t, "late", 3),
				})
				if to := rapid.IntRange(0, n-1).Draw(t, "after"); s.nodes[to].kind != "work" {
					s.nodes[handler].edges = []int{to}
				}
				node = &s.nodes[i]
			}
			node.handler = handler
		}
	}
	for range rapid.IntRange(0, 5).Draw(t, "failures") {
		node := rapid.IntRange(0, n-1).Draw(t, "node")
		task := fmt.Sprintf("%d/n%d", rapid.IntRange(1, 6).Draw(t, "step"), node)
		if s.nodes[node].kind == "work" {
			task += fmt.Sprint("#", rapid.IntRange(1, 2).Draw(t, "send"))
		}
		if s.nodes[node].handler >= 0 {
			s.doomed[task] = true
		} else {
			s.fails[task] = rapid.IntRange(1, 2).Draw(t, "times")
		}
	}
}
