package load

import "bytes"

// scan reads all objects, and returns where the streams stand.
func (f *pdfFile) scan(data []byte) (places []int) {
	for pos := 0; ; {
		i := bytes.Index(data[pos:], []byte("obj"))
		if i < 0 {
			return places
		}
		at := pos + i
		pos = at + len("obj")
		number, gen, ok := objectHead(data[:at])
		if !ok {
			continue
		}
		p := pdfParser{data: data, pos: pos, taken: pos, budget: f.budget}
		v := p.object()
		if d, ok := v.(pdfDict); ok && p.streamFollows() {
			s := &pdfStream{dict: d, raw: p.streamBytes(d), number: number, gen: gen}
			f.streams = append(f.streams, s)
			places = append(places, at)
			v = s
		}
		f.objects[number], f.places[number] = v, at
		pos = max(pos, p.pos)
	}
}

// objectHead reads "12 0 " backwards from the end of s.
func objectHead(s []byte) (number, gen int, ok bool) {
	s, gen, ok = trailingInteger(s)
	if !ok {
		return 0, 0, false
	}
	_, number, ok = trailingInteger(s)
	return number, gen, ok
}

func trailingInteger(s []byte) (rest []byte, n int, ok bool) {
	end := len(s)
	for end > 0 && pdfSpace(s[end-1]) {
		end--
	}
	start := end
	for start > 0 && end-start < 9 && s[start-1] >= '0' && s[start-1] <= '9' {
		start--
	}
	for _, c := range s[start:end] {
		n = n*10 + int(c-'0')
	}
	return s[:start], n, start < end
}

// object reads the value of an object.
func (p *pdfParser) object() any {
	v, ok := p.value(0)
	if !ok {
		return nil
	}
	switch v := v.(type) {
	case pdfWord:
		if v == "true" || v == "false" {
			return v == "true"
		}
		return nil
	case float64:
		from := p.pos
		if _, ok := p.value(0); ok {
			if word, ok := p.value(0); ok && word == pdfWord("R") {
				return pdfRef(intOf(v))
			}
		}
		p.pos = from
	}
	return v
}

// streamFollows reports whether the bytes of a stream come next, and goes to the first of them.
func (p *pdfParser) streamFollows() bool {
	p.space()
	if !bytes.HasPrefix(p.data[min(p.pos, len(p.data)):], []byte("stream")) {
		return false
	}
	p.pos += len("stream")
	if p.at(0) == '\r' {
		p.pos++
	}
	if p.at(0) == '\n' {
		p.pos++
	}
	return true
}

// streamBytes reads the bytes of a stream: as many as its length says where endstream follows then, else up to endstream.
func (p *pdfParser) streamBytes(d pdfDict) []byte {
	from := p.pos
	rest := p.data[from:]
	if n, ok := d["Length"].(float64); ok && n >= 0 && n <= float64(len(rest)) {
		if bytes.HasPrefix(bytes.TrimLeft(rest[int(n):min(len(rest), int(n)+12)], "\r\n \t"), []byte("endstream")) {
			p.pos = from + int(n)
			return rest[:int(n)]
		}
	}
	n := bytes.Index(rest, []byte("endstream"))
	if n < 0 {
		n = len(rest)
	}
	p.pos = from + n
	return bytes.TrimSuffix(bytes.TrimSuffix(rest[:n], []byte("\n")), []byte("\r"))
}
