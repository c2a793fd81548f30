// Package manpage writes manual pages from the help of commands. It may import spf13/cobra and the standard library.
//
// The pages are roff with the man macros, as man-db, groff and mandoc read them. cobra's own generator takes the help for
// Markdown, which ours is not: the asterisk of KB_AGENT_LLM_* and the braces of JSON would be lost.
package manpage
