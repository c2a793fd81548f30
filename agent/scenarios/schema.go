package scenarios

import _ "embed"

// schema is kept by a test; see there how it is made anew.
//
//go:embed schema.json
var schema []byte

// Schema is the JSON schema (draft 2020-12) of the agent's scenario files, for editors. The caller must not change it.
func Schema() []byte { return schema }
