package scenarios

import (
	"encoding/json"

	"github.com/kbagent/kbagent/state"
)

// measure gives the dimensions of the answers' confidence as the run had them, instead of measuring them; false when there
// are none, or those of several runs, which a scenario cannot tell apart.
func (t *transcript) measure(d *draft, runs []recordedRun) bool {
	if len(runs) != 1 {
		return false
	}
	var all []map[string]float64
	for _, s := range runs[0].steps {
		if a := s.update.Attempt; a != nil && a.Confidence != nil {
			all = append(all, dimensions(a.Confidence.Components))
		}
	}
	if len(all) == 0 {
		return false
	}
	d.Given.Components = all
	t.note("the dimensions of the confidence are given: measured anew they are others")
	return true
}

// dimensions are those that were measured, by name.
func dimensions(c state.Components) map[string]float64 {
	data, err := json.Marshal(c)
	if err != nil { // numbers from 0 to 1 always can be
		return nil
	}
	var all map[string]*float64
	if err := json.Unmarshal(data, &all); err != nil {
		return nil
	}
	out := make(map[string]float64)
	for name, value := range all {
		if value != nil {
			out[name] = *value
		}
	}
	return out
}
