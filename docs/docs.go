// Package docs carries the manual: the pages of this folder. They are the sample knowledge base of a fresh machine.
package docs

import "embed"

// Manual is the pages, *.md.
//
//go:embed *.md
var Manual embed.FS
