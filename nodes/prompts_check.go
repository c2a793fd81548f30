package nodes

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
)

// check holds a parsed template to its contract: first what it names, then what comes out of it.
func (c contract) check(one prompt) []PromptFault {
	if faults := c.checkNames(one); len(faults) > 0 {
		return faults
	}
	return c.checkSamples(one)
}

// checkSamples fills the template in with all samples.
func (c contract) checkSamples(one prompt) []PromptFault {
	numbered, err := numberActions(one)
	if err != nil {
		return []PromptFault{{File: c.file(), Reason: err.Error()}}
	}
	found := make(map[PromptFault]bool)
	for _, sample := range c.samples() {
		for _, f := range c.checkSample(numbered, sample) {
			found[f] = true
		}
	}
	for _, f := range c.checkShown(one) {
		found[f] = true
	}
	faults := make([]PromptFault, 0, len(found))
	for f := range found {
		faults = append(faults, f)
	}
	slices.SortFunc(faults, byLine)
	return faults
}

func byLine(a, b PromptFault) int {
	if a.Line != b.Line {
		return a.Line - b.Line
	}
	return strings.Compare(a.Reason, b.Reason)
}

// checkSample fills the template in once.
func (c contract) checkSample(one prompt, sample any) []PromptFault {
	var faults []PromptFault
	var system string
	for _, part := range []string{partSystem, partUser} {
		text, leaks, err := one.render(part, sample)
		if err != nil {
			faults = append(faults, templateFault(c.file(), err))
		}
		for _, l := range leaks {
			faults = append(faults, PromptFault{c.file(), l.line, l.reason})
		}
		if part == partSystem {
			system = text
		}
	}
	if c.fenced(sample) && !strings.Contains(system, sampleFencing.FenceRule) {
		faults = append(faults, PromptFault{c.file(), 0, `the part "system" does not tell the model what the fence is: write {{.FenceRule}} there`})
	}
	return faults
}

// fenced says whether text of documents is shown with this sample, in the user part or as an earlier answer.
func (c contract) fenced(sample any) bool {
	if c.answers {
		return true
	}
	d, planner := sample.(plannerData)
	return planner && d.HasData || !planner && fenceOf(sample) != ""
}

// checkShown looks for what a template has to show, in the sample with everything.
func (c contract) checkShown(one prompt) []PromptFault {
	var shown strings.Builder
	for _, part := range []string{partSystem, partUser} {
		text, _, err := one.render(part, c.data)
		if err != nil {
			return nil // reported by checkSample
		}
		shown.WriteString(text + "\n")
	}
	var faults []PromptFault
	for name, value := range mustShow(reflect.ValueOf(c.data), "") {
		if !strings.Contains(shown.String(), value) {
			faults = append(faults, PromptFault{c.file(), 0, fmt.Sprintf("%s is never shown, and the model needs it", name)})
		}
	}
	return faults
}

// mustShow are the values that have to be shown, by the name of their field.
func mustShow(v reflect.Value, prefix string) map[string]string {
	all := make(map[string]string)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		field, name := v.Field(i), prefix+"."+f.Name
		switch {
		case f.Name == "fencing": // checkSample looks for the rule, where it is needed
		case field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct:
			for name, value := range mustShow(field.Index(field.Len()-1), name) {
				all[name] = value
			}
		case f.Tag.Get("must") != "true":
		case field.Kind() == reflect.Slice:
			all[name] = field.Index(field.Len() - 1).String()
		default:
			all[name] = field.String()
		}
	}
	return all
}

// numberActions is the same prompt with the number of the line in front of each of its actions, which tells where a
// leak comes from.
func numberActions(one prompt) (prompt, error) {
	clone, err := one.tmpl.Clone()
	if err != nil {
		return one, err
	}
	for _, t := range clone.Templates() {
		if t.Tree != nil && t.Root != nil {
			numberList(t.Root, one.source)
		}
	}
	one.tmpl = clone
	return one, nil
}

func numberList(list *parse.ListNode, source string) {
	if list == nil {
		return
	}
	var nodes []parse.Node
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			number := string(lineStart) + strconv.Itoa(lineAt(source, n.Position())) + string(lineEnd)
			nodes = append(nodes, &parse.TextNode{NodeType: parse.NodeText, Pos: n.Pos, Text: []byte(number)})
		case *parse.IfNode:
			numberList(n.List, source)
			numberList(n.ElseList, source)
		case *parse.RangeNode:
			numberList(n.List, source)
			numberList(n.ElseList, source)
		case *parse.WithNode:
			numberList(n.List, source)
			numberList(n.ElseList, source)
		}
		nodes = append(nodes, node)
	}
	list.Nodes = nodes
}

// promptFuncs are the functions of templates besides those of text/template that promptFunctions allows.
var promptFuncs = template.FuncMap{"join": strings.Join, "inc": func(i int) int { return i + 1 }}

// promptFunctions are what templates may call. Those that change or cut a text are not among them: the text of documents
// is shown as it is.
var promptFunctions = []string{"and", "eq", "ge", "gt", "inc", "index", "join", "le", "len", "lt", "ne", "not", "or"}

func noFunction(name string) string {
	return fmt.Sprintf("there is no function %s for prompts; there are %s", name, strings.Join(promptFunctions, ", "))
}

// unknownFunction is the function that an error of text/template is about.
func unknownFunction(reason string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(reason, `function "`)
	if !ok {
		return "", false
	}
	name, _, ok = strings.Cut(rest, `" not defined`)
	return name, ok
}
