package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// studyTools are the agent's tools over an index that does not change while a question is asked again and again: each call
// is made once, and its result is studyRemembered. It is safe for concurrent use.
func studyTools(ix *index.Index) tools.Set {
	list := tools.Local(ix)
	for i, tool := range list {
		list[i] = studyRemembered(tool)
	}
	return tools.NewSet(list...)
}

// studyRemembered is a tool that does its work once for the same arguments. A call that fails is not studyRemembered.
func studyRemembered(tool tools.Tool) tools.Tool {
	var mu sync.Mutex
	known := map[string]tools.Result{}
	return tool.With(func(ctx context.Context, args json.RawMessage) (tools.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		result, ok := known[string(args)]
		if !ok {
			var err error
			if result, err = tool.Call(ctx, args); err != nil {
				return result, err
			}
			known[string(args)] = result
		}
		result.Items = slices.Clone(result.Items)
		return result, nil
	})
}

// studyFailures are the tool calls of a run that failed: an agent goes on without them, a study must not.
func studyFailures(s state.AgentState) error {
	var all []error
	for _, r := range s.ToolHistory {
		if r.Error != "" {
			all = append(all, fmt.Errorf("%s failed: %s", r.Name, r.Error))
		}
	}
	return errors.Join(all...)
}
