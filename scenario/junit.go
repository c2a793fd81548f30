package scenario

import (
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
)

// JUnit writes the report as JUnit XML, which CI systems read: a suite for each file and a case for each scenario, in the
// order of the report. An expectation that was not met is a failure, a scenario that could not be run to its end an error.
// Times are in seconds; started becomes the timestamp of the suites, unless it is zero.
func (r Report) JUnit(w io.Writer, started time.Time) error {
	out := junitSuites{Name: "scenarios"}
	stamp := ""
	if !started.IsZero() {
		stamp = started.UTC().Format("2006-01-02T15:04:05")
	}
	for _, result := range r.Results {
		last := len(out.Suites) - 1
		if last < 0 || out.Suites[last].File != slashed(result.File) {
			out.Suites = append(out.Suites, junitSuite{Name: slashed(result.File), File: slashed(result.File), Timestamp: stamp})
			last++
		}
		out.Suites[last].add(result)
	}
	for _, s := range out.Suites {
		out.Tests, out.Failures, out.Errors, out.elapsed = out.Tests+s.Tests, out.Failures+s.Failures, out.Errors+s.Errors, out.elapsed+s.elapsed
	}
	out.Time = seconds(out.elapsed)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// junitSuites is the root. The attributes are those that Jenkins, GitLab, GitHub actions and Azure read.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`

	elapsed float64 // ms
}

// junitSuite is a file.
type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Skipped   int         `xml:"skipped,attr"` // none ever is; some readers want the attribute
	Time      string      `xml:"time,attr"`
	Timestamp string      `xml:"timestamp,attr,omitempty"`
	File      string      `xml:"file,attr"`
	Cases     []junitCase `xml:"testcase"`

	elapsed float64 // ms
}

// junitCase is a scenario.
type junitCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	Time    string       `xml:"time,attr"`
	File    string       `xml:"file,attr"`
	Line    int          `xml:"line,attr"`
	Failure *junitDetail `xml:"failure"`
	Error   *junitDetail `xml:"error"`
}

type junitDetail struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func (s *junitSuite) add(r Result) {
	c := junitCase{
		Name: r.Scenario, Class: strings.TrimSuffix(s.Name, filepath.Ext(s.Name)), Time: seconds(r.ElapsedMS), File: s.File, Line: r.Line,
	}
	switch {
	case r.Error != "":
		s.Errors++
		c.Error = &junitDetail{Message: firstLine(r.Error), Type: "error", Text: strings.Join(append(r.lines(), r.Error), "\n")}
	case !r.Passed:
		s.Failures++
		c.Failure = &junitDetail{Message: r.summary(), Type: "mismatch", Text: strings.Join(r.lines(), "\n")}
	}
	s.Tests++
	s.elapsed += r.ElapsedMS
	s.Time = seconds(s.elapsed)
	s.Cases = append(s.Cases, c)
}

// lines are the differences as the report shows them.
func (r Result) lines() []string {
	var lines []string
	for _, m := range r.Mismatches {
		lines = append(lines, m.String())
	}
	return lines
}

// summary is the differences in a line.
func (r Result) summary() string {
	if len(r.Mismatches) == 1 {
		return "1 expectation was not met: " + r.Mismatches[0].Path
	}
	return fmt.Sprintf("%d expectations were not met, the first is %s", len(r.Mismatches), r.Mismatches[0].Path)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func slashed(path string) string { return filepath.ToSlash(path) }

func seconds(ms float64) string { return fmt.Sprintf("%.3f", ms/1000) }
