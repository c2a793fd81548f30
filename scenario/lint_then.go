package scenario

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/kbagent/kbagent/internal/near"
)

// expectation looks for what cannot fail and what cannot be met. The types were checked when the file was read.
func (l *linter[G, W, O]) expectation(file string, n ast.Node, t reflect.Type) {
	n = unwrap(n)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if list, ok := entries(n); ok {
		if isMatcher(list) && (t.Kind() != reflect.Struct || !hasFields(t, list)) {
			l.matchers(file, list, t)
			return
		}
		for _, e := range list {
			switch t.Kind() {
			case reflect.Struct:
				if field, ok := fieldByJSON(t, e.key); ok {
					l.expectation(file, e.value, field.Type)
				}
			case reflect.Map:
				l.expectation(file, e.value, t.Elem())
			}
		}
		return
	}
	if list, ok := n.(*ast.SequenceNode); ok && t.Kind() == reflect.Slice {
		for _, item := range list.Values {
			l.expectation(file, item, t.Elem())
		}
	}
}

// matchers looks at an object of matchers for a value of a type.
func (l *linter[G, W, O]) matchers(file string, list []entry, t reflect.Type) {
	values := make(map[string]any, len(list))
	for _, e := range list {
		values[e.key] = plain(e.value)
		if idle(e.key, values[e.key]) {
			l.add(file, e.value, Err, RuleAlways, "%s %s holds for everything", e.key, show(values[e.key]))
		}
		if why := hopeless(e.key, values[e.key], t); why != "" {
			l.add(file, e.value, Err, RuleNever, "%s", why)
		}
	}
	least, ok1 := number(values["at_least"])
	most, ok2 := number(values["at_most"])
	if ok1 && ok2 && least > most {
		l.add(file, list[0].node, Err, RuleNever, "no number is at least %v and at most %v", least, most)
	}
	if values["contains"] != nil && values["excludes"] != nil && contains(values["contains"], values["excludes"]) {
		l.add(file, list[0].node, Err, RuleNever, "nothing contains %s without %s", show(values["contains"]), show(values["excludes"]))
	}
	if values["absent"] == true && len(list) > 1 {
		l.add(file, list[0].node, Err, RuleNever, "what is absent meets nothing else")
	}
}

// idle says whether a matcher holds for every value.
func idle(matcher string, want any) bool {
	switch matcher {
	case "contains":
		return want == "" || reflect.DeepEqual(want, []any{})
	case "excludes", "includes":
		return reflect.DeepEqual(want, []any{})
	case "matches":
		s, _ := want.(string)
		re, err := regexp.Compile(s)
		return err == nil && re.MatchString("") && re.MatchString("\x00 any\ntext") && re.MatchString("é")
	default:
		return false
	}
}

// hopeless is why a matcher holds for no value of a type; "" when it may.
func hopeless(matcher string, want any, t reflect.Type) string {
	kind := kindName(t)
	isOpen := t.Kind() == reflect.Interface
	switch {
	case isOpen:
		return ""
	case (matcher == "at_least" || matcher == "at_most") && kind != "number":
		return fmt.Sprintf("a %s is no number: %s never holds", kind, matcher)
	case matcher == "contains" && kind != "text" && kind != "list":
		return fmt.Sprintf("a %s contains nothing", kind)
	case matcher == "excludes" && want == "" && kind == "text":
		return "every text contains the empty one"
	case matcher == "includes" && kind != "list":
		return fmt.Sprintf("a %s includes nothing", kind)
	case matcher == "length" && kind != "text" && kind != "list" && t.Kind() != reflect.Map && t.Kind() != reflect.Struct:
		if n, _ := number(want); n != 0 {
			return fmt.Sprintf("a %s has no length", kind)
		}
	case matcher == "length":
		if n, _ := number(want); n < 0 || n != float64(int(n)) {
			return "a length is a whole number from 0"
		}
	}
	return ""
}

// known looks for names that the subject does not know.
func (l *linter[G, W, O]) known(file string, n ast.Node, path string) {
	if len(l.words) == 0 {
		return
	}
	n = unwrap(n)
	if list, ok := entries(n); ok {
		for _, e := range list {
			switch {
			case !slices.Contains(matchers, e.key) || l.leads(path+"."+e.key):
				l.known(file, e.value, path+"."+e.key)
			case e.key == "includes":
				l.known(file, e.value, path)
			case e.key == "contains", e.key == "excludes":
				l.piece(file, e.value, path)
			}
		}
		return
	}
	if list, ok := n.(*ast.SequenceNode); ok {
		for _, item := range list.Values {
			l.known(file, item, path+"[]")
		}
		return
	}
	allowed, ok := l.words[path]
	word, isText := plain(n).(string)
	if ok && isText && word != "" && !slices.Contains(allowed, word) {
		severity := Err
		if strings.HasPrefix(path, "when") {
			severity = Warn // a scenario may do something wrong on purpose
		}
		l.add(file, n, severity, RuleWord, "there is no %q here%s", word, nearestWord(word, allowed))
	}
}

// leads says whether words are known at a path or below.
func (l *linter[G, W, O]) leads(path string) bool {
	for known := range l.words {
		if known == path || strings.HasPrefix(known, path+".") || strings.HasPrefix(known, path+"[") {
			return true
		}
	}
	return false
}

// piece looks at what a text, or an item of a list, is to contain: a part of some word.
func (l *linter[G, W, O]) piece(file string, n ast.Node, path string) {
	if list, ok := unwrap(n).(*ast.SequenceNode); ok {
		for _, item := range list.Values {
			l.piece(file, item, path)
		}
		return
	}
	allowed := slices.Concat(l.words[path], l.words[path+"[]"])
	word, isText := plain(n).(string)
	if !isText || len(allowed) == 0 || slices.ContainsFunc(allowed, func(a string) bool { return strings.Contains(a, word) }) {
		return
	}
	l.add(file, n, Err, RuleWord, "nothing that can stand here contains %q%s", word, nearestWord(word, allowed))
}

func nearestWord(word string, allowed []string) string {
	if best := near.Nearest(word, allowed, max(3, len(word)/4)); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	if len(allowed) > 12 {
		return ""
	}
	return "; it is one of " + strings.Join(allowed, ", ")
}
