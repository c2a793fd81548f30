package load

import (
	"bytes"
	"context"
	"fmt"
)

// A pdfFile is the objects of a PDF file. They are found by looking for them in the whole file, as programs do that repair
// files: the tables of offsets in a file are not read, so that a wrong or hostile one does no harm. Of objects with the
// same number the last one counts.
type pdfFile struct {
	objects map[int]any
	streams []*pdfStream // in the order of the file
	places  map[int]int  // where in the file an object stands, or the stream that holds it
	trailer pdfDict
	budget  *pdfBudget
	key     *pdfKey // nil for a file that is not encrypted
}

// openPDF finds the objects of a file.
func openPDF(ctx context.Context, data []byte) (*pdfFile, error) {
	f := &pdfFile{objects: map[int]any{}, places: map[int]int{}, trailer: pdfDict{}, budget: &pdfBudget{check: ctx.Err}}
	streamPlaces := f.scan(data)
	f.findTrailer(data)
	if f.trailer["Encrypt"] != nil {
		var err error
		if f.key, err = f.decryptionKey(); err != nil {
			return nil, err
		}
	}
	for i, s := range f.streams {
		if f.get(s.dict["Type"]) == pdfName("ObjStm") {
			f.unpack(s, streamPlaces[i])
		}
	}
	if f.dict(f.trailer["Root"])["Pages"] == nil {
		f.findCatalog()
	}
	if f.dict(f.trailer["Root"])["Pages"] == nil {
		return nil, fmt.Errorf("%w: it has no list of pages", ErrMalformed)
	}
	return f, nil
}

// findTrailer collects what trailers and tables in streams say; later ones count more.
func (f *pdfFile) findTrailer(data []byte) {
	for rest := data; ; {
		i := bytes.Index(rest, []byte("trailer"))
		if i < 0 {
			break
		}
		rest = rest[i+len("trailer"):]
		p := pdfParser{data: rest, budget: f.budget}
		if v, ok := p.value(0); ok {
			f.addTrailer(v)
		}
		rest = rest[min(p.pos, len(rest)):]
	}
	for _, s := range f.streams {
		if f.get(s.dict["Type"]) == pdfName("XRef") {
			f.addTrailer(s.dict)
		}
	}
}

func (f *pdfFile) addTrailer(v any) {
	d, ok := v.(pdfDict)
	if !ok {
		return
	}
	for _, key := range []string{"Root", "Info", "Encrypt", "ID"} {
		if d[key] != nil {
			f.trailer[key] = d[key]
		}
	}
}

// findCatalog looks for the root of the document where no trailer names it.
func (f *pdfFile) findCatalog() {
	best := -1
	for number, v := range f.objects {
		if d, ok := v.(pdfDict); ok && d["Type"] == pdfName("Catalog") && f.places[number] > best {
			best = f.places[number]
			f.trailer["Root"] = pdfRef(number)
		}
	}
}

// unpack reads the objects in a stream: pairs of a number and an offset, then the values.
func (f *pdfFile) unpack(s *pdfStream, place int) {
	data, err := f.decode(s, maxStreamBytes)
	if err != nil {
		return // objects that are missed are told by what needs them
	}
	first := intOf(f.get(s.dict["First"]))
	if first < 0 || first > len(data) {
		return
	}
	head := pdfParser{data: data[:first], budget: f.budget}
	for {
		number, ok1 := head.value(0)
		offset, ok2 := head.value(0)
		if !ok1 || !ok2 {
			return
		}
		n, at := intOf(number), first+intOf(offset)
		if old, ok := f.places[n]; n <= 0 || at < first || at > len(data) || ok && old > place {
			continue
		}
		p := pdfParser{data: data, pos: at, taken: at, budget: f.budget}
		f.objects[n], f.places[n] = p.object(), place
	}
}

// get follows references.
func (f *pdfFile) get(v any) any {
	for range 32 {
		ref, ok := v.(pdfRef)
		if !ok {
			return v
		}
		v = f.objects[int(ref)]
	}
	return nil
}

// dict is a dictionary, or that of a stream; nil for another value.
func (f *pdfFile) dict(v any) pdfDict {
	switch v := f.get(v).(type) {
	case pdfDict:
		return v
	case *pdfStream:
		return v.dict
	default:
		return nil
	}
}

// list is a list, nil for another value.
func (f *pdfFile) list(v any) []any {
	list, _ := f.get(v).([]any)
	return list
}

// name is a name, "" for another value.
func (f *pdfFile) name(v any) string {
	name, _ := f.get(v).(pdfName)
	return string(name)
}

// number is a number, 0 for another value.
func (f *pdfFile) number(v any) float64 { return finite(f.get(v)) }

// intOf is a number as an integer, 0 for another value.
func intOf(v any) int { return int(finite(v)) }
