package load

import (
	"bytes"
	"path"
	"strings"
)

// A kind is a format.
type kind string

const (
	kindUnknown  kind = "text" // by its name: what is in it is taken as plain text
	kindText     kind = "plain text"
	kindMarkdown kind = "markdown"
	kindRST      kind = "reStructuredText"
	kindAsciiDoc kind = "AsciiDoc"
	kindOrg      kind = "Org"
	kindHTML     kind = "HTML"
	kindPDF      kind = "PDF"
	kindDOCX     kind = "DOCX"
	kindCSV      kind = "CSV"
	kindTSV      kind = "TSV"
	kindJSON     kind = "JSON"
	kindJSONL    kind = "JSON Lines"
	kindCode     kind = "code"
)

func (k kind) String() string { return string(k) }

// extensions are the formats by file extension, in lower case.
var extensions = func() map[string]kind {
	m := map[string]kind{}
	for k, names := range map[kind]string{
		kindText:     ".txt .text",
		kindMarkdown: ".md .markdown .mdx",
		kindRST:      ".rst",
		kindAsciiDoc: ".adoc .asciidoc",
		kindOrg:      ".org",
		kindHTML:     ".html .htm .xhtml",
		kindPDF:      ".pdf",
		kindDOCX:     ".docx",
		kindCSV:      ".csv",
		kindTSV:      ".tsv .tab",
		kindJSON:     ".json",
		kindJSONL:    ".jsonl .ndjson",
		kindCode: ".go .py .pyi .js .mjs .cjs .jsx .ts .mts .tsx .java .kt .kts .scala .groovy .c .h .cc .cpp .cxx .hpp .hh .m .cs .fs " +
			".rs .rb .php .swift .sh .bash .zsh .fish .ps1 .sql .lua .pl .pm .r .jl .ex .exs .erl .hs .ml .mli .clj .dart .zig .nim " +
			".proto .graphql .tf .vue .svelte .yaml .yml .toml .ini .cfg .conf",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = k
		}
	}
	return m
}()

// whole are files without an extension that are read by their name.
var whole = map[string]kind{"Dockerfile": kindCode, "Makefile": kindCode, "Rakefile": kindCode, "Gemfile": kindCode, "README": kindText, "LICENSE": kindText}

// machines are the files that programs write for themselves: no walk takes them.
var machines = map[string]bool{"package-lock.json": true, "npm-shrinkwrap.json": true, "pnpm-lock.yaml": true}

// kindOf is the format that a file's name tells, kindUnknown for none.
func kindOf(name string) kind {
	base := path.Base(name)
	lower := strings.ToLower(base)
	if machines[lower] || strings.HasSuffix(lower, ".min.js") {
		return kindUnknown
	}
	if k, ok := whole[base]; ok {
		return k
	}
	if k, ok := extensions[path.Ext(lower)]; ok {
		return k
	}
	return kindUnknown
}

// sniff corrects what the name tells by what cannot be anything else.
func sniff(k kind, data []byte) kind {
	if bytes.HasPrefix(data, []byte("%PDF-")) {
		return kindPDF
	}
	return k
}
