package nodes

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// checkNames finds fields and functions that there are not, in every branch of the template, taken or not.
func (c contract) checkNames(one prompt) []PromptFault {
	n := names{file: c.file(), source: one.source, tmpl: one.tmpl, seen: make(map[string]bool), known: c.fields()}
	n.template(partVersion, reflect.TypeFor[struct{}]())
	n.template(partSystem, reflect.TypeOf(c.data))
	n.template(partUser, reflect.TypeOf(c.data))
	slices.SortFunc(n.faults, byLine)
	return slices.Compact(n.faults)
}

// names walks through a template and knows the type of everything that it names. A nil type is one that is not known, and
// then nothing is said about it.
type names struct {
	file   string
	source string
	tmpl   *template.Template
	known  []PromptField
	seen   map[string]bool // templates that were walked through, with their types
	faults []PromptFault
}

// scope is what a name means where it stands.
type scope struct {
	dot  reflect.Type
	vars map[string]reflect.Type
}

func (s scope) in(dot reflect.Type) scope { return scope{dot, maps.Clone(s.vars)} }

func (n *names) fault(at parse.Node, format string, args ...any) {
	n.faults = append(n.faults, PromptFault{n.file, lineAt(n.source, at.Position()), fmt.Sprintf(format, args...)})
}

// template walks through one template with data of type t.
func (n *names) template(name string, t reflect.Type) {
	key := fmt.Sprint(name, t)
	tree := n.tmpl.Lookup(name)
	if tree == nil || tree.Tree == nil || n.seen[key] {
		return
	}
	n.seen[key] = true
	n.list(tree.Root, scope{t, map[string]reflect.Type{"$": t}})
}

func (n *names) list(list *parse.ListNode, s scope) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.ActionNode:
			n.pipe(node.Pipe, s)
		case *parse.IfNode:
			inner := s.in(s.dot)
			n.pipe(node.Pipe, inner)
			n.list(node.List, inner.in(s.dot))
			n.list(node.ElseList, inner.in(s.dot))
		case *parse.WithNode:
			inner := s.in(s.dot)
			t := n.pipe(node.Pipe, inner)
			n.list(node.List, inner.in(t))
			n.list(node.ElseList, inner.in(s.dot))
		case *parse.RangeNode:
			n.rangeOver(node, s)
		case *parse.TemplateNode:
			n.invoke(node, s)
		}
	}
}

func (n *names) rangeOver(node *parse.RangeNode, s scope) {
	inner := s.in(s.dot)
	elem := element(n.pipe(node.Pipe, inner))
	if decl := node.Pipe.Decl; len(decl) > 0 {
		inner.vars[decl[len(decl)-1].Ident[0]] = elem
		if len(decl) == 2 {
			inner.vars[decl[0].Ident[0]] = reflect.TypeFor[int]()
		}
	}
	n.list(node.List, inner.in(elem))
	n.list(node.ElseList, s.in(s.dot))
}

func (n *names) invoke(node *parse.TemplateNode, s scope) {
	if n.tmpl.Lookup(node.Name) == nil {
		n.fault(node, "there is no template %q", node.Name)
		return
	}
	t := reflect.TypeFor[struct{}]()
	if node.Pipe != nil {
		t = n.pipe(node.Pipe, s)
	}
	n.template(node.Name, t)
}

// pipe is the type of a pipeline; variables that it declares are put into the scope.
func (n *names) pipe(pipe *parse.PipeNode, s scope) reflect.Type {
	if pipe == nil {
		return nil
	}
	var t reflect.Type
	for _, cmd := range pipe.Cmds {
		t = n.command(cmd, s)
	}
	for _, v := range pipe.Decl {
		s.vars[v.Ident[0]] = t
	}
	return t
}

func (n *names) command(cmd *parse.CommandNode, s scope) reflect.Type {
	types := make([]reflect.Type, len(cmd.Args))
	for i, arg := range cmd.Args {
		types[i] = n.arg(arg, s)
	}
	ident, isCall := cmd.Args[0].(*parse.IdentifierNode)
	switch {
	case !isCall:
		return types[0]
	case ident.Ident == "index" && len(types) == 3:
		return element(types[1])
	case ident.Ident == "index", ident.Ident == "and", ident.Ident == "or":
		return nil
	case ident.Ident == "join":
		return reflect.TypeFor[string]()
	}
	return reflect.TypeFor[int]() // a number or a yes/no: neither has fields
}

func (n *names) arg(arg parse.Node, s scope) reflect.Type {
	switch arg := arg.(type) {
	case *parse.IdentifierNode:
		if !slices.Contains(promptFunctions, arg.Ident) {
			n.fault(arg, "%s", noFunction(arg.Ident))
		}
	case *parse.DotNode:
		return s.dot
	case *parse.FieldNode:
		return n.fields(arg, s.dot, arg.Ident)
	case *parse.VariableNode:
		return n.fields(arg, s.vars[arg.Ident[0]], arg.Ident[1:])
	case *parse.ChainNode:
		return n.fields(arg, n.arg(arg.Node, s), arg.Field)
	case *parse.PipeNode:
		return n.pipe(arg, s)
	}
	return nil
}

// fields follows a chain of fields.
func (n *names) fields(at parse.Node, t reflect.Type, chain []string) reflect.Type {
	for _, name := range chain {
		if t == nil {
			return nil
		}
		if t.Kind() != reflect.Struct {
			n.fault(at, "%s has no field .%s, it is a %s", at, name, typeForPeople(t))
			return nil
		}
		f, ok := t.FieldByName(name)
		if !ok || !f.IsExported() {
			n.fault(at, "there is no field .%s here; the fields are %s", name, n.knownFields())
			return nil
		}
		t = f.Type
	}
	return t
}

func (n *names) knownFields() string {
	list := make([]string, len(n.known))
	for i, f := range n.known {
		list[i] = f.Name
	}
	return strings.Join(list, ", ")
}

// element is the type of the elements of a list.
func element(t reflect.Type) reflect.Type {
	if t == nil || t.Kind() != reflect.Slice {
		return nil
	}
	return t.Elem()
}
