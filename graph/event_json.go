package graph

import "encoding/json"

// MarshalText writes the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// eventJSON is an [Event] for scripts. Names of fields are stable. What a kind does not set is left out; what it does set is
// there, also when it is zero.
type eventJSON struct {
	Seq       int64      `json:"seq"`
	Kind      Kind       `json:"kind"`
	Thread    string     `json:"thread,omitzero"`
	Call      int64      `json:"call,omitzero"`
	Run       int64      `json:"run,omitzero"`
	Step      int        `json:"step"`
	Node      string     `json:"node,omitzero"`
	Task      string     `json:"task,omitzero"`
	Attempt   int        `json:"attempt,omitzero"`
	State     any        `json:"state,omitempty"`
	Discarded bool       `json:"discarded,omitzero"`
	Cached    bool       `json:"cached,omitzero"`
	Update    any        `json:"update,omitempty"`
	Custom    any        `json:"custom,omitempty"`
	Text      *string    `json:"text,omitempty"`
	Path      []string   `json:"path,omitempty"`
	Child     any        `json:"child,omitempty"`
	Name      string     `json:"name,omitzero"`
	Amount    *int64     `json:"amount,omitempty"`
	DelayMS   *float64   `json:"delay_ms,omitempty"`
	Entry     int64      `json:"entry,omitzero"`
	Edge      *edgeJSON  `json:"edge,omitempty"`
	Interrupt *Interrupt `json:"interrupt,omitempty"`
	Error     string     `json:"error,omitzero"`
}

type edgeJSON struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Label string `json:"label,omitzero"`
}

// MarshalJSON writes the fields that the event's kind sets, under stable names in snake_case: those of the struct, with
// delay_ms for Delay, a number of milliseconds, and error for Err, its text. It fails when the state, the update or a value
// given to [Emit] cannot be encoded.
func (e Event[S, U]) MarshalJSON() ([]byte, error) {
	out := eventJSON{
		Seq: e.Seq, Kind: e.Kind, Thread: e.Thread, Call: e.Call, Run: e.Run, Step: e.Step,
		Node: e.Node, Task: e.Task, Attempt: e.Attempt, Discarded: e.Discarded,
	}
	if e.Err != nil {
		out.Error = e.Err.Error()
	}
	switch e.Kind {
	case RunStart, ValuesKind, RunEnd:
		out.State = e.State
	case UpdateKind:
		out.Update = e.Update
	case TaskEnd:
		if out.Cached = e.Cached; e.Err == nil {
			out.Update = e.Update
		}
	case CustomKind:
		out.Custom = orNull(e.Custom)
	case MessageKind:
		out.Text = &e.Text
	case ChildKind:
		out.Path, out.Child = e.Path, e.Child
	case ChargeKind:
		out.Name, out.Amount = e.Name, &e.Amount
	case RetryKind:
		out.DelayMS = new(float64(e.Delay.Microseconds()) / 1000)
	case Committed:
		out.Entry = e.Entry
	case EdgeTaken:
		out.Edge = &edgeJSON{e.Edge.From, e.Edge.To, e.Edge.Label}
	case Interrupted:
		out.Interrupt = &e.Interrupt
	}
	return json.Marshal(out)
}

// orNull keeps a nil from being left out.
func orNull(v any) any {
	if v == nil {
		return json.RawMessage("null")
	}
	return v
}
