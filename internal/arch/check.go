package arch

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Violation is one import or call that the law forbids.
type Violation struct {
	// File and Line say where, relative to the root of the module.
	File string
	Line int
	// Reason says what is forbidden.
	Reason string
}

// String is the violation as compilers write errors.
func (v Violation) String() string { return fmt.Sprintf("%s:%d: %s", v.File, v.Line, v.Reason) }

// Check reads the Go files below root, the root of the module, and returns what they violate, in the order of the files.
// Nested modules, testdata and folders that start with a dot or an underscore are left out. The error is that of a file
// that cannot be read or parsed.
func Check(root fs.FS) ([]Violation, error) {
	files, err := read(root)
	if err != nil {
		return nil, err
	}
	var found []Violation
	for _, f := range files {
		found = append(found, f.check()...)
	}
	return found, nil
}

// check is the law for one file.
func (f file) check() []Violation {
	var found []Violation
	report := func(line int, format string, args ...any) {
		found = append(found, Violation{File: f.name, Line: line, Reason: fmt.Sprintf(format, args...)})
	}
	law, ok := lawFor(f.pkg)
	if !ok {
		report(1, "package %s has no line in the law (arch.Packages)", f.pkg)
		return found
	}
	for _, i := range f.imports {
		if reason := f.forbidden(law, i.path); reason != "" {
			report(i.line, "%s", reason)
		}
	}
	for _, c := range f.calls {
		if !f.mayRead(c.argument) {
			report(c.line, "%s uses os.%s: only %s reads the environment", f.pkg, c.name, environmentReader)
		}
	}
	return found
}

// forbidden is the reason why the file may not import a path; "" when it may.
func (f file) forbidden(law Package, target string) string {
	if target == Module || strings.HasPrefix(target, Module+"/") {
		target = strings.TrimPrefix(strings.TrimPrefix(target, Module), "/")
		if f.mayKnow(law, target) {
			return ""
		}
		return fmt.Sprintf("%s may not import %s", f.pkg, target)
	}
	if standard(target) {
		return ""
	}
	use, ok := useOf(target)
	switch {
	case !ok:
		return fmt.Sprintf("%s imports %s, which has no line in the law (arch.Modules)", f.pkg, target)
	case slices.ContainsFunc(use.In, func(p string) bool { return matches(p, f.pkg) }), use.Tests && f.test:
		return ""
	case use.Tests:
		return fmt.Sprintf("%s imports %s, which is for tests only", f.pkg, target)
	}
	return fmt.Sprintf("%s may not import %s: that is for %s", f.pkg, target, strings.Join(use.In, ", "))
}

// mayKnow decides over packages of the project. Tests may use whatever is not a front or a command, because the
// conformance suites and the stores that they try belong to other levels.
func (f file) mayKnow(law Package, target string) bool {
	of, ok := lawFor(target)
	switch {
	case !ok:
		return false
	case target == f.pkg:
		return true // the external tests of a package
	case f.test:
		return of.Level < 4 && (tree(f.pkg) != "graph" || tree(target) == "graph")
	case law.Any:
		return of.Level < law.Level
	}
	return slices.ContainsFunc(law.May, func(p string) bool { return matches(p, target) })
}

// mayRead decides over the environment.
func (f file) mayRead(variable string) bool {
	if f.test || f.pkg == environmentReader || f.pkg == testKit && variable == testKitVariable {
		return true
	}
	terminal := slices.ContainsFunc(terminalPackages, func(p string) bool { return matches(p, f.pkg) })
	return terminal && slices.Contains(terminalVariables, variable)
}

func lawFor(pkg string) (Package, bool) {
	i := slices.IndexFunc(Packages, func(p Package) bool { return matches(p.Path, pkg) })
	if i < 0 {
		return Package{}, false
	}
	return Packages[i], true
}

// useOf is the line for an import: the longest one.
func useOf(target string) (Use, bool) {
	var best Use
	for _, u := range Modules {
		if (target == u.Module || strings.HasPrefix(target, u.Module+"/")) && len(u.Module) > len(best.Module) {
			best = u
		}
	}
	return best, best.Module != ""
}

// matches compares a package with a path of the law.
func matches(pattern, pkg string) bool {
	if above, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == above || strings.HasPrefix(pkg, above+"/")
	}
	ok, err := path.Match(pattern, pkg)
	return ok && err == nil // a test has checked the patterns
}

// standard reports whether an import belongs to the standard library: its first element has no dot.
func standard(target string) bool {
	first, _, _ := strings.Cut(target, "/")
	return !strings.Contains(first, ".")
}

// tree is the first element of a path; two of them below internal.
func tree(pkg string) string {
	parts := strings.Split(pkg, "/")
	if parts[0] == "internal" && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
