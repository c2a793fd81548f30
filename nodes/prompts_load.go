package nodes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
	"unicode/utf8"
)

// promptExt is what the files of prompts end in.
const promptExt = ".tmpl"

// maxPromptBytes is the largest template: a prompt beyond it leaves no room for the documents.
const maxPromptBytes = 64 << 10

// PromptFault is one thing that is wrong with a template.
type PromptFault struct {
	File   string
	Line   int // 0 when the whole file is meant
	Reason string
}

// String is the fault on one line.
func (f PromptFault) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Reason
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Reason)
}

// PromptsError reports all faults of a folder of prompts. Its message has a line for each.
type PromptsError struct{ Faults []PromptFault } // never empty; by file and line

// Error lists the faults.
func (e *PromptsError) Error() string {
	lines := []string{"the prompts cannot be used:"}
	for _, f := range e.Faults {
		lines = append(lines, "  "+f.String())
	}
	return strings.Join(lines, "\n")
}

// LoadPrompts reads the templates NAME.tmpl in the root of a folder; they replace the built-in prompts of their names,
// the others stay. docs/prompts.md is their contract. Files whose names start with a dot are passed over.
//
// All templates are checked, and filled in with samples of all kinds. What is wrong with them is one *[PromptsError]:
// a file of another name, a template that cannot be parsed, lacks a part, uses a field or function that there is not, puts
// text of documents outside the fence, or leaves out the rule about it. A folder that cannot be read is another error.
func LoadPrompts(folder fs.FS) (Prompts, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return Prompts{}, fmt.Errorf("read the folder of prompts: %w", err)
	}
	p := Prompts{replaced: make(map[string]prompt)}
	var faults []PromptFault
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		c, ok := contractOf(strings.TrimSuffix(entry.Name(), promptExt))
		if !ok || entry.Name() != c.file() {
			faults = append(faults, PromptFault{File: entry.Name(), Reason: "there is no prompt of this name; the files are " + promptFileNames()})
			continue
		}
		source, err := fs.ReadFile(folder, entry.Name())
		if err != nil {
			return Prompts{}, fmt.Errorf("read the prompt %s: %w", entry.Name(), err)
		}
		one, wrong := loadPrompt(c, source)
		faults = append(faults, wrong...)
		p.replaced[c.name] = one
	}
	if len(faults) > 0 {
		return Prompts{}, &PromptsError{Faults: faults}
	}
	return p, nil
}

func promptFileNames() string {
	names := make([]string, len(contracts))
	for i, c := range contracts {
		names[i] = c.file()
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// loadPrompt reads and checks a user's template.
func loadPrompt(c contract, data []byte) (prompt, []PromptFault) {
	source := strings.ReplaceAll(strings.TrimPrefix(string(data), "\uFEFF"), "\r\n", "\n")
	fault := func(reason string) (prompt, []PromptFault) {
		return prompt{}, []PromptFault{{File: c.file(), Reason: reason}}
	}
	switch {
	case len(source) > maxPromptBytes:
		return fault(fmt.Sprintf("a template has at most %d KiB", maxPromptBytes>>10))
	case !utf8.ValidString(source):
		return fault("the file is no UTF-8")
	case unmarkable.Replace(source) != source:
		return fault("the file holds a noncharacter (U+FDD0 to U+FDD3), which templates may not")
	}
	one, faults := parsePrompt(c, source)
	if len(faults) > 0 {
		return prompt{}, faults
	}
	if faults := c.check(one); len(faults) > 0 {
		return prompt{}, faults
	}
	sum := sha256.Sum256([]byte(source))
	one.version += "+u" + hex.EncodeToString(sum[:])[:6]
	return one, nil
}

// parsePrompt parses a template, finds its parts and reads its version.
func parsePrompt(c contract, source string) (prompt, []PromptFault) {
	tmpl, err := template.New(c.file()).Funcs(promptFuncs).Parse(source)
	if err != nil {
		return prompt{}, []PromptFault{templateFault(c.file(), err)}
	}
	one := prompt{name: c.name, source: source, tmpl: tmpl}
	var faults []PromptFault
	if line, ok := strayText(tmpl, source); ok {
		faults = append(faults, PromptFault{c.file(), line, "what stands outside the parts is never shown: put it between {{define \"system\"}} or {{define \"user\"}} and {{end}}"})
	}
	for _, part := range []string{partVersion, partSystem, partUser} {
		if t := tmpl.Lookup(part); t == nil || t.Tree == nil || parse.IsEmptyTree(t.Root) {
			faults = append(faults, PromptFault{c.file(), 0, fmt.Sprintf("the part %q is missing or empty: write {{define %q}}…{{end}}", part, part)})
		}
	}
	if len(faults) > 0 {
		return prompt{}, faults
	}
	one.version, faults = readVersion(c, one)
	return one, faults
}

// readVersion renders the part version: the name of the prompt and what the author calls this state of it.
func readVersion(c contract, one prompt) (string, []PromptFault) {
	tree := one.tmpl.Lookup(partVersion)
	version, _, err := one.render(partVersion, nil)
	if err != nil {
		return "", []PromptFault{templateFault(c.file(), err)}
	}
	if own, ok := strings.CutPrefix(version, c.name+"/"); !ok || !versionForm.MatchString(own) {
		reason := fmt.Sprintf("the version is %q: it has to be %s/ and up to 40 letters, digits, dots, dashes or underscores", clip(version, 60), c.name)
		return "", []PromptFault{{c.file(), lineAt(one.source, tree.Root.Position()), reason}}
	}
	return version, nil
}

var versionForm = regexp.MustCompile(`^[\w.-]{1,40}$`)

// strayText finds text outside the parts.
func strayText(tmpl *template.Template, source string) (line int, found bool) {
	if tmpl.Tree == nil || tmpl.Root == nil {
		return 0, false
	}
	for _, node := range tmpl.Root.Nodes {
		text, isText := node.(*parse.TextNode)
		switch {
		case !isText:
			return lineAt(source, node.Position()), true
		case strings.TrimSpace(string(text.Text)) != "":
			start := int(text.Pos) + len(text.Text) - len(strings.TrimLeft(string(text.Text), " \t\r\n"))
			return lineAt(source, parse.Pos(start)), true
		}
	}
	return 0, false
}

// lineAt is the line of a position, from 1.
func lineAt(source string, pos parse.Pos) int {
	return 1 + strings.Count(source[:min(int(pos), len(source))], "\n")
}

// templateError is how text/template words its errors.
var templateError = regexp.MustCompile(`(?s)^template: [^:]+:(\d+)(?::\d+)?: (.*)$`)

// templateFault is an error of text/template as a fault.
func templateFault(file string, err error) PromptFault {
	f := PromptFault{File: file, Reason: err.Error()}
	var exec template.ExecError
	if errors.As(err, &exec) {
		f.Reason = exec.Error()
	}
	if m := templateError.FindStringSubmatch(f.Reason); m != nil {
		line, err := strconv.Atoi(m[1])
		if err == nil {
			f.Line, f.Reason = line, m[2]
		}
	}
	if name, ok := unknownFunction(f.Reason); ok {
		f.Reason = noFunction(name)
	}
	return f
}
