package load

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"fmt"
	"io"
)

// maxStreamBytes bounds what the content of a page or form, a table of a font, or a stream of objects unpacks to.
const maxStreamBytes = 32 << 20

// errFilter reports a stream that is packed in a way that no text is packed in: as a picture, or by the old LZW.
var errFilter = fmt.Errorf("%w: packed in an unknown way", ErrMalformed)

// decode is the bytes of a stream, decrypted and unpacked. A stream that is cut short gives what there is.
func (f *pdfFile) decode(s *pdfStream, limit int) ([]byte, error) {
	data := s.raw
	if f.key != nil && f.name(s.dict["Type"]) != "XRef" {
		var err error
		if data, err = f.key.decrypt(data, s.number, s.gen); err != nil {
			return nil, err
		}
	}
	filters, params := f.list(s.dict["Filter"]), f.list(s.dict["DecodeParms"])
	if name := f.name(s.dict["Filter"]); name != "" {
		filters, params = []any{pdfName(name)}, []any{s.dict["DecodeParms"]}
	}
	for i, filter := range filters {
		var param pdfDict
		if i < len(params) {
			param = f.dict(params[i])
		}
		var err error
		if data, err = f.unfilter(data, f.name(filter), param, limit); err != nil {
			return nil, err
		}
	}
	if len(data) > limit {
		return nil, fmt.Errorf("%w: a stream has more than %d bytes", ErrTooLarge, limit)
	}
	return data, nil
}

func (f *pdfFile) unfilter(data []byte, name string, param pdfDict, limit int) ([]byte, error) {
	switch name {
	case "FlateDecode", "Fl":
		data, err := inflate(data, limit)
		if err != nil {
			return nil, err
		}
		return f.unpredict(data, param)
	case "ASCII85Decode", "A85":
		return decode85(data)
	case "ASCIIHexDecode", "AHx":
		p := pdfParser{data: data, budget: f.budget}
		return []byte(p.hex()), nil
	default:
		return nil, fmt.Errorf("%w: %s", errFilter, name)
	}
}

func inflate(data []byte, limit int) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	out, err := io.ReadAll(io.LimitReader(z, int64(limit)+1))
	if len(out) > limit {
		return nil, fmt.Errorf("%w: a stream unpacks to more than %d bytes", ErrTooLarge, limit)
	}
	if err != nil && len(out) == 0 {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return out, nil
}

func decode85(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~"))
	if i := bytes.IndexByte(data, '~'); i >= 0 {
		data = data[:i]
	}
	out := make([]byte, 4*len(data)+4) // a z stands for four bytes
	n, _, err := ascii85.Decode(out, data, true)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return out[:n], nil
}

// unpredict undoes the PNG filters of rows (RFC 2083, 6), which tables of objects are packed with.
func (f *pdfFile) unpredict(data []byte, param pdfDict) ([]byte, error) {
	predictor := f.number(param["Predictor"])
	if predictor < 2 {
		return data, nil
	}
	columns, colors, bits := f.atLeastOne(param["Columns"], 1), f.atLeastOne(param["Colors"], 1), f.atLeastOne(param["BitsPerComponent"], 8)
	width := (columns*colors*bits + 7) / 8
	if predictor < 10 || columns > 1<<20 || colors > 64 || bits > 32 || width == 0 {
		return nil, fmt.Errorf("%w: predictor %v", errFilter, predictor)
	}
	pixel := max(1, colors*bits/8)
	out := make([]byte, 0, len(data))
	above := make([]byte, width)
	for len(data) > width {
		row := data[1 : width+1]
		if err := unfilterRow(data[0], row, above, pixel); err != nil {
			return nil, err
		}
		out = append(out, row...)
		above, data = row, data[width+1:]
	}
	return out, nil
}

func (f *pdfFile) atLeastOne(v any, otherwise int) int {
	if n := intOf(f.get(v)); n >= 1 {
		return n
	}
	return otherwise
}

func unfilterRow(kind byte, row, above []byte, pixel int) error {
	for i := range row {
		left, corner := 0, 0
		if i >= pixel {
			left, corner = int(row[i-pixel]), int(above[i-pixel])
		}
		switch kind {
		case 0:
		case 1:
			row[i] += byte(left)
		case 2:
			row[i] += above[i]
		case 3:
			row[i] += byte((left + int(above[i])) / 2)
		case 4:
			row[i] += byte(paeth(left, int(above[i]), corner))
		default:
			return fmt.Errorf("%w: PNG filter %d", ErrMalformed, kind)
		}
	}
	return nil
}

func paeth(a, b, c int) int {
	distance := func(x int) int { return max(a+b-c-x, x-a-b+c) }
	switch {
	case distance(a) <= distance(b) && distance(a) <= distance(c):
		return a
	case distance(b) <= distance(c):
		return b
	default:
		return c
	}
}
