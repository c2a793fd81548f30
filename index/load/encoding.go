package load

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/kbagent/kbagent/index"
)

// sampleBytes is how much of a text is looked at to find its encoding.
const sampleBytes = 64 << 10

// decode returns data as UTF-8. Valid UTF-8 stays byte for byte, so that offsets are those of the file.
func decode(data []byte) (string, error) {
	if enc := unicodeOf(data); enc != nil {
		return decodeWith(enc, "UTF-16", data)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", fmt.Errorf("%w: a binary file, it holds NUL bytes", index.ErrSkip)
	}
	if escaped(data) {
		enc, _ := charset.Lookup("iso-2022-jp")
		return decodeWith(enc, "ISO-2022-JP", data)
	}
	if utf8.Valid(data) {
		if looksBinary(string(data)) {
			return "", fmt.Errorf("%w: a binary file, it holds control characters", index.ErrSkip)
		}
		return string(data), nil
	}
	return decodeDetected(data)
}

// unicodeOf is UTF-16 in the order that a byte order mark tells, or the places of the NUL bytes of mostly Latin text.
func unicodeOf(data []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")):
		return nil // UTF-32: rare enough to be refused as binary
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	var zeros [2]int
	sample := data[:min(len(data), 4096)]
	for i, b := range sample {
		if b == 0 {
			zeros[i%2]++
		}
	}
	switch enough := len(sample) / 5; {
	case len(data)%2 != 0 || len(data) < 8:
		return nil
	case zeros[0] == 0 && zeros[1] > enough:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case zeros[1] == 0 && zeros[0] > enough:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	default:
		return nil
	}
}

// escaped reports the escape sequences of ISO-2022-JP, which is ASCII otherwise.
func escaped(data []byte) bool {
	return bytes.Contains(data, []byte("\x1b$B")) || bytes.Contains(data, []byte("\x1b$@"))
}

func decodeWith(enc encoding.Encoding, name string, data []byte) (string, error) {
	decoded, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return "", fmt.Errorf("%w: it is no %s: %w", ErrMalformed, name, err)
	}
	text := string(decoded)
	if bytes.ContainsRune(decoded, utf8.RuneError) || looksBinary(text) {
		return "", fmt.Errorf("%w: it looks like %s and is not valid in it: convert it to UTF-8", ErrEncoding, name)
	}
	return text, nil
}

// Confidences of the detector, in percent: below the first its guess does not count, and a second guess this near to the
// first makes both doubtful.
const (
	minConfidence = 25
	minLead       = 5
)

// decodeDetected finds the encoding of text by its letters.
func decodeDetected(data []byte) (string, error) {
	results, err := chardet.NewTextDetector().DetectAll(data[:min(len(data), sampleBytes)])
	if err != nil && !errors.Is(err, chardet.NotDetectedError) {
		return "", fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	best, sure := guess{}, true
	for _, r := range results {
		g, ok := tryEncoding(r, data)
		switch {
		case !ok:
		case best.text == "":
			best = g
		case g.confidence > best.confidence-minLead && g.text != best.text:
			sure = false
		}
	}
	if best.text != "" && sure && best.confidence >= minConfidence {
		return best.text, nil
	}
	if text, ok := decodeWestern(data); ok {
		return text, nil
	}
	if best.text == "" {
		return "", fmt.Errorf("%w: a binary file, it is text in no known encoding", index.ErrSkip)
	}
	return "", fmt.Errorf("%w (most likely %s): convert it to UTF-8", ErrEncoding, best.name)
}

type guess struct {
	text, name string
	confidence int
}

// tryEncoding reports whether data is text in the encoding that the detector proposes.
func tryEncoding(r chardet.Result, data []byte) (guess, bool) {
	enc, name := charset.Lookup(r.Charset)
	if enc == nil || strings.HasPrefix(name, "utf-") {
		return guess{}, false
	}
	text, err := decodeWith(enc, name, data)
	return guess{text, name, r.Confidence}, err == nil
}

// decodeWestern decodes windows-1252 where its letters stand alone or in pairs of small ones, as in "Größe": too few for
// the detector, and in no other encoding would they stand so.
func decodeWestern(data []byte) (string, bool) {
	run := 0
	for i, b := range data {
		switch {
		case b < 0x80:
			run = 0
			continue
		case !western[b]:
			return "", false
		}
		if run++; run > 2 || run == 2 && (b < 0xdf || data[i-1] < 0xdf) {
			return "", false
		}
	}
	text, err := decodeWith(charmap.Windows1252, "windows-1252", data)
	return text, err == nil
}

// western are the bytes above ASCII that are letters or the usual signs in windows-1252.
var western = func() (set [256]bool) {
	for b := 0xc0; b <= 0xff; b++ {
		set[b] = b != 0xd7 && b != 0xf7
	}
	for _, b := range []byte("\x80\x85\x91\x92\x93\x94\x96\x97\x99\xa0\xa1\xa3\xa7\xa9\xab\xae\xb0\xb5\xbb\xbf") {
		set[b] = true
	}
	return set
}()

// looksBinary reports more than one control character in ten: text may hold the codes of a terminal.
func looksBinary(s string) bool {
	controls, all := 0, 0
	for _, r := range s[:min(len(s), sampleBytes)] {
		all++
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' || r >= 0x7f && r < 0xa0 {
			controls++
		}
	}
	return controls*10 > all
}
