// Package tools holds what a plan may call: the searches over the index, grep, read_file and list_files.
// It may import state and index.
//
// A tool is one Go function with a typed argument struct ([New]); the schema that the model sees is derived from it.
// The files x.md are the descriptions for the model, reviewed like code.
package tools
