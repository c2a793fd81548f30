package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/joho/godotenv"
)

// Change sets a variable in a settings file; an empty Value removes it.
type Change struct{ Name, Value string }

// Check says whether a variable takes a value by itself; what it needs of others is found by [Load]. The error is one
// sentence that does not hold the value of a secret. An empty value is the default and always right.
func Check(name, value string) error {
	if _, known := lookup(name); !known {
		return fmt.Errorf("%s: there is no such setting", name)
	}
	_, faults := parse(settings{name: {value, SourceFlag}})
	for _, f := range faults {
		if f.Name == name && f.Value != "" && strings.HasPrefix(f.Reason, "allowed: ") {
			return errors.New(f.Reason)
		}
	}
	return nil
}

// firstLine begins a file that Edit makes.
const firstLine = "# Settings of kbagent; `kbagent doctor` checks them, `kbagent man` lists all that exist.\n"

// Edit changes variables in a settings file and leaves its other lines as they are; a file that is missing is made. The
// file is replaced as a whole, so that a crash leaves the old or the new one, and nobody but its owner may read it. Where
// path is a link, the file behind it is replaced.
func Edit(path string, changes []Change) error {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		real, err = path, nil
	}
	if err != nil {
		return err
	}
	old, err := os.ReadFile(real)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte(firstLine), nil
	}
	if err != nil {
		return err
	}
	text, err := edited(string(old), changes)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replace(real, []byte(text))
}

// edited is text with the changes. The first line that sets a variable takes its new value, further ones go: the last
// would count.
func edited(text string, changes []Change) (string, error) {
	lines := slices.Collect(strings.Lines(text))
	if n := len(lines); n > 0 && !strings.HasSuffix(lines[n-1], "\n") {
		lines[n-1] += "\n"
	}
	for _, c := range changes {
		line, err := written(c)
		if err != nil {
			return "", err
		}
		sets := regexp.MustCompile(`^\s*(?:export\s+)?` + c.Name + `\s*[=:]`)
		place := slices.IndexFunc(lines, sets.MatchString)
		lines = slices.DeleteFunc(lines, sets.MatchString)
		switch {
		case line == "":
		case place < 0:
			lines = append(lines, line)
		default:
			lines = slices.Insert(lines, place, line)
		}
	}
	return strings.Join(lines, ""), nil
}

// plainValue needs no quotation marks.
var plainValue = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-]+$`)

// written is the line that sets a variable; "" when it is to be removed. Of the ways to quote a value it takes the first
// that is read as it was meant: godotenv has none for a few values, like a text in quotation marks that holds an apostrophe.
func written(c Change) (string, error) {
	switch {
	case c.Value == "":
		return "", nil
	case plainValue.MatchString(c.Value):
		return c.Name + "=" + c.Value + "\n", nil
	case strings.ContainsFunc(c.Value, unicode.IsControl):
		return "", fmt.Errorf("the value of %s has to be text on one line", c.Name)
	}
	double := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(c.Value) + `"`
	for _, value := range []string{"'" + c.Value + "'", double, c.Value} {
		line := c.Name + "=" + value
		if read, err := godotenv.Unmarshal(line); err == nil && len(read) == 1 && read[c.Name] == c.Value {
			return line + "\n", nil
		}
	}
	return "", fmt.Errorf("the value of %s cannot be written into a settings file, for its mixture of quotation marks; set it in the environment", c.Name)
}

// replace puts a new file in the place of path.
func replace(path string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".env-*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
