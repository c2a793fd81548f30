package index

import (
	"fmt"
	"regexp"
	"strings"
)

// globExpr translates a glob into a regular expression without anchors: * and ? stay inside one path element,
// ** crosses them ("a/**/b" also matches "a/b"), [a-z] and [!a-z] are sets, \ takes the next character as it is.
// With braces, {a,b} are alternatives.
func globExpr(glob string, braces bool) string {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(glob); {
		rest := glob[i:]
		switch c := glob[i]; {
		case strings.HasPrefix(rest, "**/") && (i == 0 || glob[i-1] == '/'):
			b.WriteString(`(?:.*/)?`)
			i += 3
			continue
		case strings.HasPrefix(rest, "**"):
			b.WriteString(`.*`)
			i += 2
			continue
		case c == '*':
			b.WriteString(`[^/]*`)
		case c == '?':
			b.WriteString(`[^/]`)
		case c == '[':
			set, n := globSet(rest)
			b.WriteString(set)
			i += n
			continue
		case c == '\\' && len(rest) > 1:
			b.WriteString(regexp.QuoteMeta(rest[1:2]))
			i += 2
			continue
		case braces && c == '{':
			b.WriteString(`(?:`)
			depth++
		case depth > 0 && c == '}':
			b.WriteString(`)`)
			depth--
		case depth > 0 && c == ',':
			b.WriteString(`|`)
		default:
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		}
		i++
	}
	return b.String() + strings.Repeat(")", depth)
}

// globSet translates the [set] that glob starts with; without a closing bracket it is a plain [.
func globSet(glob string) (expr string, length int) {
	from := 1
	negate := strings.HasPrefix(glob[from:], "!") || strings.HasPrefix(glob[from:], "^")
	if negate {
		from++
	}
	end := strings.IndexByte(glob[min(from+1, len(glob)):], ']')
	if end < 0 {
		return `\[`, 1
	}
	end += from + 1
	set := strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `^`, `\^`).Replace(glob[from:end])
	if negate {
		set = "^/" + set
	}
	return "[" + set + "]", end + 1
}

// pathMatcher returns the test of a pattern against a file's path. A pattern without a slash is about the file's name,
// in whatever folder; an empty one matches all.
func pathMatcher(pattern string) (func(path string) bool, error) {
	if pattern == "" {
		return func(string) bool { return true }, nil
	}
	expr := globExpr(strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/"), true)
	if !strings.Contains(pattern, "/") {
		expr = `(?:.*/)?` + expr
	}
	re, err := compileWhole(expr)
	if err != nil {
		return nil, fmt.Errorf("%q is not a file pattern: %w: %w", pattern, ErrPattern, err)
	}
	return re.MatchString, nil
}

func compileWhole(expr string) (*regexp.Regexp, error) { return regexp.Compile(`^(?s:` + expr + `)$`) }
