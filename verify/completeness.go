package verify

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Checklists say which parts an answer needs, by category of the question. The zero value knows no category. A Checklists never
// changes and is safe for concurrent use.
type Checklists struct {
	parts map[string][]string // by category
	cues  map[string][]string // by name: the user's own parts
}

// ErrChecklists is the error of checklists that cannot be used.
var ErrChecklists = errors.New("bad checklists")

// DefaultChecklists are the built-in ones. For questions about errors, as S0 has them:
//
//	code             root_cause fix_steps code_location verification
//	infra            root_cause fix_steps affected_component verification
//	config           root_cause fix_steps setting verification
//	dependency       root_cause fix_steps package_version verification
//	test             root_cause fix_steps test_name verification
//	unknown          root_cause fix_steps verification
//
// and for those to a knowledge base:
//
//	definition       subject definition detail
//	how_to           subject steps specifics
//	comparison       both_sides contrast detail
//	why              subject reason
//	list             subject items
//	yes_no           verdict support
//	troubleshooting  root_cause fix_steps verification
//
// Upper and lower case are the same, and "CODE_ERROR" is code.
func DefaultChecklists() Checklists {
	parts := make(map[string][]string)
	for line := range strings.Lines(compDefault) {
		if fields := strings.Fields(line); len(fields) > 1 {
			parts[fields[0]] = fields[1:]
		}
	}
	return Checklists{parts: parts}
}

const compDefault = `
code            root_cause fix_steps code_location verification
infra           root_cause fix_steps affected_component verification
config          root_cause fix_steps setting verification
dependency      root_cause fix_steps package_version verification
test            root_cause fix_steps test_name verification
unknown         root_cause fix_steps verification
definition      subject definition detail
how_to          subject steps specifics
comparison      both_sides contrast detail
why             subject reason
list            subject items
yes_no          verdict support
troubleshooting root_cause fix_steps verification
`

// LoadChecklists reads a user's checklists, which extend and replace the built-in ones by category, from JSON:
//
//	{
//	  "checklists": {"incident": ["root_cause", "owner"], "why": ["reason"]},
//	  "parts": {"owner": ["owner:", "on call", "负责人"]}
//	}
//
// Under "parts" stand parts of one's own: an answer has one when it holds any of its words or phrases, as whole words,
// upper and lower case alike. A built-in part may be replaced. The error is that of r, that of the JSON with its line, or
// ErrChecklists naming all parts that do not exist and all lists that are empty.
func LoadChecklists(r io.Reader) (Checklists, error) {
	var file struct {
		Checklists map[string][]string `json:"checklists"`
		Parts      map[string][]string `json:"parts"`
	}
	if err := confDecode(r, &file); err != nil {
		return Checklists{}, fmt.Errorf("read checklists: %w", err)
	}
	loaded := DefaultChecklists()
	loaded.cues = make(map[string][]string)
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(file.Parts)) {
		cues, ok := compCues(file.Parts[name])
		if !ok {
			faults = append(faults, fmt.Errorf("%w: part %q needs words, none of them empty", ErrChecklists, name))
		}
		loaded.cues[name] = cues
	}
	for _, category := range slices.Sorted(maps.Keys(file.Checklists)) {
		parts := file.Checklists[category]
		if len(parts) == 0 {
			faults = append(faults, fmt.Errorf("%w: category %q needs parts", ErrChecklists, category))
		}
		for _, part := range parts {
			if !loaded.knows(part) {
				faults = append(faults, fmt.Errorf("%w: category %q names part %q, which does not exist", ErrChecklists, category, part))
			}
		}
		loaded.parts[compCategory(category)] = parts
	}
	if err := errors.Join(faults...); err != nil {
		return Checklists{}, err
	}
	return loaded, nil
}

// compCues are words in lower case; ok is false when there is none or one is empty.
func compCues(words []string) (cues []string, ok bool) {
	for _, w := range words {
		if w = strings.ToLower(strings.TrimSpace(w)); w == "" {
			return nil, false
		}
		cues = append(cues, w)
	}
	return cues, len(cues) > 0
}

func (c Checklists) knows(part string) bool {
	_, own := c.cues[part]
	_, builtIn := compParts[part]
	return own || builtIn
}

// Parts is the parts that a category requires, or nil for one without a checklist.
func (c Checklists) Parts(category string) []string {
	return slices.Clone(c.parts[compCategory(category)])
}

// Completeness is [Checklists.Completeness] of the built-in checklists.
func Completeness(question, category, answer string) (score float64, missing []string, ok bool) {
	return compBuiltIn.Completeness(question, category, answer)
}

var compBuiltIn = DefaultChecklists()

// Completeness is the share, 0–1, of the parts that an answer has of those that its kind of question requires, and the names of
// the missing ones in the order of the checklist. ok is false when there is no checklist: the dimension is then missing,
// not 0. A category that is empty, "other" or not known is told from the question.
//
// The parts are found by heuristics in English and Chinese that read structure first: numbered steps and lists, commands
// and code, paths, versions and settings, both sides of a comparison, the question's own words; and only then words such as
// "because". They see that a part is there, not that it is right: that is for the verification. On 91 questions of
// MTRAG-UN and CLAPnq (development parts) whose form tells the category, the reference answers score .92 and the
// answers to other questions .51; in none of them does the other answer score higher.
func (c Checklists) Completeness(question, category, answer string) (score float64, missing []string, ok bool) {
	parts := c.parts[compCategory(category)]
	if len(parts) == 0 {
		parts = c.parts[compDetect(question)]
	}
	if len(parts) == 0 {
		return 0, nil, false
	}
	read := compRead(question, answer)
	for _, part := range parts {
		if !c.has(read, part) {
			missing = append(missing, part)
		}
	}
	return 1 - float64(len(missing))/float64(len(parts)), missing, true
}

// has says whether an answer has a part: by the user's words where there are any, else by the built-in check.
func (c Checklists) has(a compAnswer, part string) bool {
	if cues, ok := c.cues[part]; ok {
		return slices.ContainsFunc(cues, func(cue string) bool { return compHolds(a.lower, cue) })
	}
	check := compParts[part]
	return check != nil && a.prose != "" && check(a)
}

// compCategory is the name by which a category is looked up.
func compCategory(name string) string {
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), "_error")
}
