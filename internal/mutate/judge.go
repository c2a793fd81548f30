package main

import (
	"cmp"
	"fmt"
	"strings"
)

// A verdict on a planted violation. Only caught is good.
type verdict string

const (
	caught     verdict = "caught"
	notCaught  verdict = "NOT CAUGHT"
	noMatch    verdict = "does not apply"
	noCompile  verdict = "does not compile"
	hung       verdict = "hangs"
	testBroken verdict = "test fails anyway"
	broken     verdict = "could not run"
)

// A finding is the verdict on one violation.
type finding struct {
	verdict verdict
	detail  string // for people; "" when there is nothing to say
}

// judge says whether the tests of v in one package have noticed it.
func (v *violation) judge(names []string, o outcome) finding {
	if !o.built {
		return finding{noCompile, o.output}
	}
	for _, name := range names {
		switch end := o.ends[name]; {
		case end == "fail":
		case end == "died" && (!o.hung || v.hangs):
		case end == "died":
			return finding{hung, name + " ran into the timeout"}
		case end == "":
			return finding{notCaught, name + " has not run\n" + o.output}
		default:
			return finding{notCaught, fmt.Sprintf("%s: %s", name, end)}
		}
	}
	return finding{verdict: caught}
}

// sound says what is wrong with the tests before anything is planted: "" when all of names pass.
func sound(names []string, o outcome) string {
	if !o.built {
		return "the package does not compile\n" + o.output
	}
	var wrong []string
	for _, name := range names {
		if end := o.ends[name]; end != "pass" {
			wrong = append(wrong, fmt.Sprintf("%s: %s", name, cmp.Or(end, "there is no such test")))
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	return strings.Join(wrong, "\n") + "\n" + o.output
}
