package config

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/joho/godotenv"
)

// parseFile reads the text of a settings file. The errors of godotenv quote the text, which holds keys: they are
// replaced by the number of a line.
// Lines that set nothing are faults, and the others are read all the same.
func parseFile(path string, text []byte) (settings, []Fault, error) {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	var faults []Fault
	values, err := godotenv.UnmarshalBytes(text)
	for err != nil {
		line := badLine(string(text))
		if line == 0 {
			return nil, nil, fmt.Errorf("%s cannot be read: every line has to be NAME=value, and quotes have to be closed", path)
		}
		faults = append(faults, Fault{Name: fmt.Sprintf("line %d", line), Source: fmt.Sprintf("%s:%d", path, line), Reason: "is no NAME=value line"})
		text = blank(text, line)
		values, err = godotenv.UnmarshalBytes(text)
	}
	out := settings{}
	for name, value := range values {
		if strings.HasPrefix(name, prefix) {
			out[name] = setting{strings.TrimSpace(value), fmt.Sprintf("%s:%d", path, lineOf(string(text), name))}
		}
	}
	return out, faults, nil
}

// blank empties a line; the numbers of the others stay.
func blank(text []byte, line int) []byte {
	lines := bytes.Split(text, []byte("\n"))
	lines[line-1] = nil
	return bytes.Join(lines, []byte("\n"))
}

// assignment is a line that sets a variable, as godotenv understands it.
var assignment = regexp.MustCompile(`^\s*(?:export\s+)?([\pL\pN_.]+)\s*[=:]`)

// lineOf is the number of the last line that sets the variable. Lines inside of a quoted value may be taken for such a
// line: the number is for people.
func lineOf(text, name string) int {
	found, n := 0, 0
	for line := range strings.Lines(text) {
		n++
		if m := assignment.FindStringSubmatch(line); m != nil && m[1] == name {
			found = n
		}
	}
	return found
}

// badLine is the number of the first line that sets nothing; 0 when all do.
func badLine(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !assignment.MatchString(line) {
			return n
		}
	}
	return 0
}
