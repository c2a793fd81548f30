// Package load turns files of the usual formats into text: HTML, PDF, DOCX, CSV, TSV, JSON, JSON Lines, source code,
// reStructuredText, AsciiDoc, Org, Markdown and plain text, in the usual encodings. It imports index and index/text, and is the
// only package that imports the libraries for these formats.
//
// docs/formats.md says what becomes of each format. What a file holds is not trusted: sizes, nesting and time are
// bounded, and no content makes Load panic.
package load
