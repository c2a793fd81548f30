package load

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/ledongthuc/pdf"
)

// maxStreamBytes bounds what the content of one page or form, or the table of one font, unpacks to.
const maxStreamBytes = 32 << 20

// Limits of what the library makes tables of before it reads a word.
const (
	maxObjects = 4_000_000
	maxColumns = 1 << 20 // of a predictor
	maxFields  = 1 << 31 // sum of the numbers of a W: widths of fonts are called so, too
)

// boundPDF refuses files whose tables of objects claim more than fits into memory. The library would allocate what they
// claim, and no panic could be recovered. All places that may be such a table are looked at.
func boundPDF(data []byte) error {
	for rest := data; ; {
		i := bytes.Index(rest, []byte("xref"))
		if i < 0 {
			break
		}
		rest = rest[i+len("xref"):]
		if err := boundTable(rest); err != nil {
			return err
		}
	}
	for rest := data; ; {
		i := bytes.IndexByte(rest, '/')
		if i < 0 {
			return boundIntegers(data)
		}
		rest = rest[i+1:]
		name, after := pdfName(rest)
		if err := boundEntry(name, after); err != nil {
			return err
		}
	}
}

// boundTable checks the sections of a table of objects: the first number, how many, and three tokens for each.
func boundTable(s []byte) error {
	for {
		start, s1, ok1 := pdfInteger(s)
		n, s2, ok2 := pdfInteger(s1)
		if !ok1 || !ok2 {
			return nil
		}
		if start < 0 || n < 0 || start > maxObjects || n > maxObjects-start {
			return fmt.Errorf("%w: it claims objects %d to %d", ErrTooLarge, start, start+n)
		}
		s = s2
		for range n {
			var ok bool
			if _, s, ok = pdfInteger(s); ok {
				_, s, ok = pdfInteger(s)
			}
			if !ok {
				return nil
			}
			var used []byte
			if used, s = pdfToken(s); len(used) != 1 {
				return nil
			}
		}
	}
}

// boundEntry checks the number, or the list of numbers, that follows a name in a dictionary.
func boundEntry(name string, s []byte) error {
	limit, sum := int64(0), false
	switch name {
	case "Size", "Index", "N":
		limit = maxObjects
	case "Columns", "Colors", "BitsPerComponent":
		limit = maxColumns
	case "W":
		limit, sum = maxFields, true
	default:
		return nil
	}
	token, rest := pdfToken(s)
	if string(token) != "[" {
		rest = s
	}
	total := int64(0)
	for {
		n, after, ok := pdfInteger(rest)
		if !ok {
			return nil
		}
		if total += n; n < 0 || n > limit || sum && total > limit {
			return fmt.Errorf("%w: /%s %d", ErrTooLarge, name, n)
		}
		rest = after
	}
}

// boundIntegers checks the objects that are an integer alone: others name them as their sizes.
func boundIntegers(data []byte) error {
	limit := int64(max(maxObjects, len(data)))
	for rest := data; ; {
		i := bytes.Index(rest, []byte("obj"))
		if i < 0 {
			return nil
		}
		rest = rest[i+len("obj"):]
		if n, _, ok := pdfInteger(rest); ok && (n < -limit || n > limit) {
			return fmt.Errorf("%w: an object is the number %d", ErrTooLarge, n)
		}
	}
}

// boundStreams checks a stream, or a list of them, that is about to be read.
func boundStreams(v pdf.Value) {
	left := int64(maxStreamBytes)
	if v.Kind() != pdf.Array {
		boundStream(v, left)
		return
	}
	for i := range v.Len() {
		if part := v.Index(i); part.Kind() == pdf.Stream {
			left -= boundStream(part, left)
		}
	}
}

// boundStream checks the parameters of a stream, which may stand where boundPDF cannot look, and what it unpacks to. The
// library keeps what it reads until an operator comes.
func boundStream(v pdf.Value, limit int64) (size int64) {
	params := v.Key("DecodeParms")
	all := []pdf.Value{params}
	for i := range params.Len() {
		all = append(all, params.Index(i))
	}
	for _, p := range all {
		if n := p.Key("Columns").Int64(); n < 0 || n > maxColumns {
			panic(fmt.Errorf("%w: /Columns %d", ErrTooLarge, n))
		}
	}
	size, err := io.Copy(io.Discard, io.LimitReader(v.Reader(), limit+1))
	if size > limit {
		panic(fmt.Errorf("%w: a stream unpacks to more than %d bytes", ErrTooLarge, maxStreamBytes))
	}
	if err != nil && size == 0 {
		panic(err)
	}
	return size
}

// pdfName reads a name after its slash; #53 in it stands for S.
func pdfName(s []byte) (name string, rest []byte) {
	var out []byte
	for len(s) > 0 && len(out) < 32 && !pdfSpace(s[0]) && !pdfDelimiter(s[0]) {
		if s[0] == '#' && len(s) > 2 {
			if b, err := strconv.ParseUint(string(s[1:3]), 16, 8); err == nil {
				out, s = append(out, byte(b)), s[3:]
				continue
			}
		}
		out, s = append(out, s[0]), s[1:]
	}
	return string(out), s
}

// pdfInteger reads the next token if it is an integer.
func pdfInteger(s []byte) (n int64, rest []byte, ok bool) {
	token, rest := pdfToken(s)
	n, err := strconv.ParseInt(string(token), 10, 64)
	if err != nil && len(token) > 18 && bytes.Trim(token, "+-0123456789") == nil {
		return 1 << 62, rest, true // larger than every limit
	}
	return n, rest, err == nil
}

// pdfToken reads a delimiter or what stands up to the next one, after white space and comments. Longer tokens than a
// number has are cut.
func pdfToken(s []byte) (token, rest []byte) {
	for len(s) > 0 && (pdfSpace(s[0]) || s[0] == '%') {
		if s[0] != '%' {
			s = s[1:]
			continue
		}
		end := bytes.IndexAny(s, "\r\n")
		if end < 0 {
			return nil, nil
		}
		s = s[end:]
	}
	if len(s) > 0 && pdfDelimiter(s[0]) {
		return s[:1], s[1:]
	}
	n := 0
	for n < len(s) && n < 64 && !pdfSpace(s[n]) && !pdfDelimiter(s[n]) {
		n++
	}
	return s[:n], s[n:]
}

func pdfSpace(b byte) bool {
	return b == 0 || b == '\t' || b == '\n' || b == '\f' || b == '\r' || b == ' '
}

func pdfDelimiter(b byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), b) >= 0 }
