package llm

import (
	"cmp"
	"slices"
)

// assembly puts the chunks of a stream together.
type assembly struct{ completion }

func (a *assembly) add(chunk completion) {
	if chunk.ID != "" {
		a.ID = chunk.ID
	}
	if chunk.Model != "" {
		a.Model = chunk.Model
	}
	if chunk.Usage != nil {
		a.Usage = chunk.Usage
	}
	for _, ch := range chunk.Choices {
		whole := a.choice(ch.Index)
		if ch.FinishReason != "" {
			whole.FinishReason = ch.FinishReason
		}
		if ch.Delta != nil {
			whole.Message.add(*ch.Delta)
		}
	}
}

// whole returns the completion, its choices in order.
func (a *assembly) whole() *completion {
	slices.SortFunc(a.Choices, func(x, y choice) int { return cmp.Compare(x.Index, y.Index) })
	return &a.completion
}

// choice finds or makes the choice of that index.
func (a *assembly) choice(index int) *choice {
	for i := range a.Choices {
		if a.Choices[i].Index == index {
			return &a.Choices[i]
		}
	}
	a.Choices = append(a.Choices, choice{Index: index, Message: message{Role: "assistant"}})
	return &a.Choices[len(a.Choices)-1]
}

// finished tells whether every choice has its stop reason.
func (a *assembly) finished() bool {
	for _, ch := range a.Choices {
		if ch.FinishReason == "" {
			return false
		}
	}
	return len(a.Choices) > 0
}

func (m *message) add(delta message) {
	m.Content += delta.Content
	m.Thinking += delta.Thinking
	m.Reasoning += delta.Reasoning
	for _, part := range delta.ToolCalls {
		call := m.call(part)
		if call.Function.Name == "" { // some servers repeat it in every chunk
			call.Function.Name = part.Function.Name
		}
		call.Function.Arguments += part.Function.Arguments
	}
	if delta.Function != nil {
		if m.Function == nil {
			m.Function = new(function)
		}
		m.Function.Name += delta.Function.Name
		m.Function.Arguments += delta.Function.Arguments
	}
}

// call finds the tool call that part continues, or begins a new one.
func (m *message) call(part toolCall) *toolCall {
	for i := len(m.ToolCalls) - 1; i >= 0; i-- {
		if call := &m.ToolCalls[i]; call.continuedBy(part) {
			if call.ID == "" {
				call.ID = part.ID
			}
			return call
		}
	}
	m.ToolCalls = append(m.ToolCalls, toolCall{Index: part.Index, ID: part.ID})
	return &m.ToolCalls[len(m.ToolCalls)-1]
}

// continuedBy goes by the index. Some servers send 0 for all calls: then a new id begins a new call.
// Others send no index: then a new id does, or a name where there are no ids either.
func (c *toolCall) continuedBy(part toolCall) bool {
	if part.Index == nil || c.Index == nil {
		return part.ID == c.ID && part.ID != "" || part.ID == "" && part.Function.Name == ""
	}
	return *part.Index == *c.Index && (part.ID == "" || c.ID == "" || part.ID == c.ID)
}
