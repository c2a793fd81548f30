package graph

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
)

// Kinds of notes. Each is the kind of a stored row, too.
const (
	askNote  = "ask"  // a question and its answer
	onceNote = "once" // the result of a Once
	stopNote = "stop" // the run has stopped here on request
)

// A note is one thing that a task has put down besides its result, kept as a pending write until its step is committed.
type note struct {
	Kind    string          `json:"kind"`
	Task    string          `json:"task,omitzero"` // id; "" for a stop
	Node    string          `json:"node,omitzero"`
	Key     string          `json:"key,omitzero"` // given by the node, unique within task and kind
	Order   int             `json:"order,omitzero"`
	Value   json.RawMessage `json:"value,omitempty"`  // of a Once
	Prompt  json.RawMessage `json:"prompt,omitempty"` // of a question
	Want    string          `json:"want,omitzero"`
	Expires int64           `json:"expires,omitzero"` // Unix milliseconds; 0 = never
	Answer  json.RawMessage `json:"answer,omitempty"` // nil = open
	Gone    bool            `json:"gone,omitzero"`    // a question of a sub-graph that it does not ask any more
	Seen    bool            `json:"seen,omitzero"`    // the task has run with the answer, or knows that none will come, and asked something else
	Inner   *Interrupt      `json:"inner,omitempty"`  // of a sub-graph, whose question this is

	expired bool // this attempt has been told so, and does not wait any more
}

func (n *note) open() bool { return n.Kind == askNote && n.Answer == nil && !n.Gone && !n.told() }

// told says that the task has asked something else since it was told that the question has expired.
func (n *note) told() bool { return n.Seen && n.Answer == nil && n.Expires != 0 }

// row is the key of a note's pending write. Task ids hold no slash.
func (n *note) row() string { return n.Task + "/" + n.Kind + "/" + n.Key }

// A journal holds the notes of one task of the running step. Nodes use it from any goroutine.
type journal struct {
	all   *journals
	task  string
	node  string
	mu    sync.Mutex
	notes []*note
	used  map[string]bool // rows that this attempt has come by
	err   error           // of a note that could not be saved, or an answer of the wrong type: the task fails, whatever the node makes of it
}

// journals holds those of all tasks of the running step, by the task's id.
type journals struct {
	active atomic.Bool // there are notes; spares the lock on the way of those that have none
	mu     sync.Mutex
	byTask map[string]*journal
	run    int64
	step   int                             // of the running step
	save   func(rows []PendingWrite) error // gives them their Seq; nil without a thread
}

// of returns the journal of a task.
func (js *journals) of(task, node string) *journal {
	js.mu.Lock()
	defer js.mu.Unlock()
	j := js.byTask[task]
	if j == nil {
		j = &journal{all: js, task: task, node: node}
		if js.byTask == nil {
			js.byTask = map[string]*journal{}
		}
		js.byTask[task] = j
		js.active.Store(true)
	}
	return j
}

// lookup returns the journal of a task, nil when it has none.
func (js *journals) lookup(task string) *journal {
	if !js.active.Load() {
		return nil
	}
	js.mu.Lock()
	defer js.mu.Unlock()
	return js.byTask[task]
}

// clear forgets all notes: their step is committed, or given up.
func (js *journals) clear() {
	js.mu.Lock()
	js.byTask = nil
	js.mu.Unlock()
	js.active.Store(false)
}

// restore takes the notes of a thread and returns whether one says that the run has stopped.
func (js *journals) restore(notes []*note) (stopped bool) {
	for _, n := range notes {
		switch n.Kind {
		case stopNote:
			stopped = true
		case askNote, onceNote:
			j := js.of(n.Task, n.Node)
			j.notes = append(j.notes, n)
		}
	}
	for _, j := range js.byTask {
		slices.SortStableFunc(j.notes, func(a, b *note) int { return cmp.Compare(a.Order, b.Order) })
	}
	return stopped
}

// write saves notes as pending writes; without a thread they live as long as the call.
func (js *journals) write(notes ...*note) error {
	if js.save == nil {
		return nil
	}
	rows := make([]PendingWrite, len(notes))
	for i, n := range notes {
		data, err := json.Marshal(storedNote{formatVersion, js.run, js.step, *n})
		if err != nil {
			return fmt.Errorf("encode %s %q: %w", n.Kind, n.Key, err)
		}
		rows[i] = PendingWrite{Key: n.row(), Data: data}
	}
	return js.save(rows)
}

// begin prepares the journal for another attempt of its task.
func (j *journal) begin() {
	j.mu.Lock()
	defer j.mu.Unlock()
	clear(j.used)
	j.err = nil
	for _, n := range j.notes {
		n.expired = false
	}
}

// use notes that the attempt has come by a key; twice is an error. It returns the note that there is, if any.
func (j *journal) use(kind, key string) (*note, error) {
	row := kind + "/" + key
	if j.used[row] {
		return nil, fmt.Errorf("%w: %s %q", ErrKeyUsed, kind, key)
	}
	if j.used == nil {
		j.used = map[string]bool{}
	}
	j.used[row] = true
	return j.find(kind, key), nil
}

func (j *journal) find(kind, key string) *note {
	for _, n := range j.notes {
		if n.Kind == kind && n.Key == key {
			return n
		}
	}
	return nil
}

// add saves a new note.
func (j *journal) add(n *note) error {
	n.Task, n.Node, n.Order = j.task, j.node, len(j.notes)+1
	if err := j.all.write(n); err != nil {
		j.err = cmp.Or(j.err, err)
		return err
	}
	j.notes = append(j.notes, n)
	return nil
}

// asked says whether the attempt has come by a question that is open.
func (j *journal) asked() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.notes, func(n *note) bool { return n.open() && !n.expired && j.used[n.Kind+"/"+n.Key] })
}

// failed is the failure that the node cannot hide.
func (j *journal) failed() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// waits says that the task has an open question and nothing to tell its node: it need not run.
func (j *journal) waits(now int64) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	open := false
	for _, n := range j.notes {
		switch {
		case n.Kind != askNote:
		case n.Answer != nil && !n.Seen, n.open() && n.Expires != 0 && n.Expires <= now, n.open() && n.Inner != nil && n.Inner.Kind != Question:
			return false
		case n.open():
			open = true
		}
	}
	return open
}

// settle notes after an interrupted attempt that its node has seen the answers so far.
func (j *journal) settle() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var seen []*note
	for _, n := range j.notes {
		if n.Kind == askNote && !n.Seen && (n.Answer != nil || n.expired) {
			n.Seen = true
			seen = append(seen, n)
		}
	}
	if len(seen) == 0 {
		return nil
	}
	return j.all.write(seen...)
}

// answers lists the answered questions, for the log.
func (j *journal) answers() []storedAnswer {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []storedAnswer
	for _, n := range j.notes {
		if n.Kind == askNote && n.Answer != nil {
			list = append(list, storedAnswer{n.Key, n.Answer})
		}
	}
	return list
}

// interrupts lists the open questions of a task.
func (j *journal) interrupts() []Interrupt {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []Interrupt
	for _, n := range j.notes {
		if n.open() {
			list = append(list, n.interrupt(j.all.run, j.all.step))
		}
	}
	return list
}

// interruptID is stable over attempts, crashes and copies of the thread.
func interruptID(run int64, step int, task, key string) string {
	return strconv.FormatInt(run, 10) + "." + strconv.Itoa(step) + "/" + task + "/" + key
}

// ErrKeyUsed reports an [Ask] or a [Once] with a key that the same attempt of the same task has used before.
var ErrKeyUsed = errors.New("key used twice in one task")
