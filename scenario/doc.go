// Package scenario runs scripted tests of any graph from YAML files: what is given, what is asked, and what must be seen.
// It may import graph only (and small helpers: YAML, JSON schema, diff, spelling); a [Subject] binds it to a graph.
//
// [Load] reads files, [Run] plays them, [Rewrites] makes failing expectations what was seen, [Propose] writes new ones,
// [Lint] finds mistakes that a run does not show, and [Schema] helps editors.
//
// A file holds one or more documents, separated by ---:
//
//	scenario: two passages are approved without a model call    # what is claimed
//	guards: a model call for two passages decides nothing        # the defect that the scenario keeps away
//	given: {…}             # the subject's Given type
//	turns:
//	  - when: {…}          # the subject's When type
//	    then: {…}          # a part of what the subject observed, or matchers
//
// Unknown keys and values of a wrong type are refused with line, column and an excerpt, before anything runs.
// In then, an object names only the fields that matter, a list must match in full, numbers are equal within 1e-9, and an
// object of matchers ({contains: x}, {matches: regexp}, {at_least: n}, {at_most: n}, {length: n}, {includes: […]},
// {excludes: x}, {absent: true}) may stand for any value.
package scenario
