package nodes

import (
	"reflect"
	"slices"
)

// contract is what a template of one name has to keep.
type contract struct {
	name string
	// data is a sample of what the template is filled in with, complete: no field has its zero value.
	data any
	// modes are the values of the field Mode.
	modes []string
	// answers says that earlier answers stand in front of the user part, in the fence.
	answers bool
}

// contracts are those of all prompts.
var contracts = []contract{
	{name: promptRouter, data: routerData{Question: "and on Windows?", fencing: sampleFencing}, answers: true},
	{name: promptPlanner, data: plannerData{
		Query: "How do I rotate the logs on Windows?", Strategy: "hybrid", Keywords: []string{"rotate", "logs"},
		SubQueries: []string{"How are logs rotated?", "What differs on Windows?"}, Refine: true, Missing: []string{"windows"}, HasData: true,
		NamedFiles: []string{"ops/logs.md"}, Found: []string{"ops/logs.md:3-9 › Rotation"}, Notes: []string{"ops/logs.md (40 lines)"},
		Tried:   []promptAttempt{{Name: "keyword_search", Args: `{"query":"logs"}`, Outcome: "3 passages"}},
		fencing: sampleFencing,
	}},
	{name: promptGrader, data: graderData{Query: "How do I rotate the logs on Windows?", Items: sampleItems, fencing: sampleFencing}},
	{name: promptSynthesizer, data: synthesizerData{
		Question: "and on Windows?", Query: "How do I rotate the logs on Windows?", Category: "how_to", Items: sampleItems, Mode: "best_effort",
		Sufficient: true, LowEvidence: true, Missing: []string{"windows"}, Abstention: "The documents do not say.", fencing: sampleFencing,
	}, modes: []string{"strict", "best_effort", "open"}, answers: true},
	{name: promptChitchat, data: chitchatData{Question: "Thank you!", fencing: sampleFencing}, answers: true},
	{name: promptVerifier, data: verifierData{
		Question: "How do I rotate the logs on Windows?", Claims: []string{"Logs are rotated every night.", "The service is LogRotate."},
		Items: sampleItems, fencing: sampleFencing,
	}},
	{name: promptReranker, data: rerankerData{
		Query: "How do I rotate the logs on Windows?", Claims: []string{"Logs are rotated every night.", "The service is LogRotate."},
		Items: sampleItems, fencing: sampleFencing,
	}},
	{name: promptExpander, data: expanderData{Query: "How do I rotate the logs on Windows?"}},
}

var (
	sampleFencing = newFencing("FENCE")
	sampleItems   = []promptItem{
		{N: 1, Where: "ops/logs.md:3-9 › Rotation", Text: "Logs are rotated every night.\nOld ones are kept for a week."},
		{N: 2, Where: "ops/windows.md:1-2", Text: "On Windows the service is LogRotate."},
	}
)

func contractOf(name string) (contract, bool) {
	i := slices.IndexFunc(contracts, func(c contract) bool { return c.name == name })
	if i < 0 {
		return contract{}, false
	}
	return contracts[i], true
}

func (c contract) file() string { return c.name + promptExt }

// fields describes what a template may use, in the order of the data.
func (c contract) fields() []PromptField { return fieldsOf(reflect.TypeOf(c.data), "", false) }

func fieldsOf(t reflect.Type, prefix string, document bool) []PromptField {
	var list []PromptField
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			list = append(list, fieldsOf(f.Type, prefix, document)...)
			continue
		}
		one := PromptField{
			Name: prefix + "." + f.Name, Type: typeForPeople(f.Type), Meaning: f.Tag.Get("doc"), Document: document || f.Tag.Get("fence") == "true",
		}
		list = append(list, one)
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			list = append(list, fieldsOf(f.Type.Elem(), one.Name, one.Document)...)
		}
	}
	return list
}

func typeForPeople(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "yes/no"
	case reflect.Int:
		return "number"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return "list of texts"
		}
		return "list"
	}
	return "text"
}

// samples are the data with every field empty or filled, in all combinations, so that every condition on a field is
// taken both ways. Fields that are always there, such as the question, stay filled; HasData follows from the others.
func (c contract) samples() []any {
	t := reflect.TypeOf(c.data)
	var optional []int
	for i := range t.NumField() {
		f := t.Field(i)
		if always := f.Anonymous || f.Tag.Get("must") == "true" || f.Name == "HasData" || f.Name == "Mode" || f.Name == "Strategy"; !always {
			optional = append(optional, i)
		}
	}
	var all []any
	for set := range 1 << len(optional) {
		v := reflect.New(t).Elem()
		v.Set(reflect.ValueOf(c.data))
		for bit, i := range optional {
			if set&(1<<bit) == 0 {
				v.Field(i).SetZero()
			}
		}
		all = append(all, c.inModes(v)...)
	}
	return all
}

// inModes is a sample in each mode.
func (c contract) inModes(v reflect.Value) []any {
	if d, ok := v.Interface().(plannerData); ok {
		d.HasData = len(d.NamedFiles)+len(d.Found)+len(d.Notes)+len(d.Tried) > 0
		return []any{d}
	}
	if c.modes == nil {
		return []any{v.Interface()}
	}
	var all []any
	for _, mode := range c.modes {
		v.FieldByName("Mode").SetString(mode)
		all = append(all, v.Interface())
	}
	return all
}
