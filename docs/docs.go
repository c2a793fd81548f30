// Package docs carries the manual: the pages of this folder and of formats. They are the sample knowledge base of a fresh machine.
package docs

import "embed"

// Manual is the pages, *.md, and those of the formats of files, formats/*.md.
//
//go:embed *.md formats/*.md
var Manual embed.FS
