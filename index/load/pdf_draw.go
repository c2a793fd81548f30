package load

import (
	"bytes"
	"math"
)

// maxForms is how deep forms may draw one another.
const maxForms = 8

// pdfState is the part of the graphics state that says where letters stand.
type pdfState struct {
	ctm       matrix
	font      *pdfFont
	size      float64
	charSpace float64
	wordSpace float64
	leading   float64
	rise      float64
	scale     float64 // horizontal
}

// pdfDrawing runs the operators of one content stream (PDF 32000-1, 9.4).
type pdfDrawing struct {
	*pdfReader
	resources pdfDict
	state     pdfState
	saved     []pdfState
	text      matrix
	line      matrix
	forms     int // how many forms this one lies in
}

// run runs the operators of a content stream.
func (d *pdfDrawing) run(content []byte) error {
	p := pdfParser{data: content, budget: d.budget}
	var args []any
	for {
		v, ok := p.value(0)
		if !ok {
			return nil
		}
		op, isWord := v.(pdfWord)
		if !isWord {
			if len(args) < maxOperands {
				args = append(args, v)
			}
			continue
		}
		if op == "ID" {
			p.skipImage()
		} else if err := d.do(string(op), args); err != nil {
			return err
		}
		args = args[:0]
	}
}

// maxOperands is more than any operator has.
const maxOperands = 64

// skipImage goes behind the EI that ends the bytes of a picture.
func (p *pdfParser) skipImage() {
	for p.pos < len(p.data) {
		i := bytes.Index(p.data[p.pos:], []byte("EI"))
		if i < 0 {
			p.pos = len(p.data)
			return
		}
		at := p.pos + i
		p.pos = at + 2
		if at > 0 && pdfSpace(p.data[at-1]) && (p.pos == len(p.data) || pdfSpace(p.data[p.pos])) {
			return
		}
	}
}

// do runs an operator. Operators with the wrong operands do nothing.
func (d *pdfDrawing) do(op string, args []any) error {
	n := operands[op]
	if len(args) < n {
		return nil
	}
	args = args[len(args)-n:]
	if op == "Do" {
		return d.form(d.dict(d.resources["XObject"])[d.name(args[0])])
	}
	if !d.setState(op, args) {
		d.move(op, args)
	}
	return nil
}

// operands is how many an operator needs.
var operands = map[string]int{"cm": 6, "Tf": 2, "Tc": 1, "Tw": 1, "Tz": 1, "TL": 1, "Ts": 1, "Td": 2, "TD": 2, "Tm": 6,
	"Tj": 1, "TJ": 1, "'": 1, `"`: 3, "Do": 1}

func (d *pdfDrawing) setState(op string, args []any) bool {
	s := &d.state
	switch op {
	case "q":
		if len(d.saved) < 1000 {
			d.saved = append(d.saved, *s)
		}
	case "Q":
		if n := len(d.saved); n > 0 {
			*s, d.saved = d.saved[n-1], d.saved[:n-1]
		}
	case "cm":
		s.ctm = matrixOf(args).mul(s.ctm)
	case "Tf":
		s.font, s.size = d.font(d.dict(d.resources["Font"])[d.name(args[0])]), finite(args[1])
	case "Tc":
		s.charSpace = finite(args[0])
	case "Tw":
		s.wordSpace = finite(args[0])
	case "Tz":
		s.scale = finite(args[0]) / 100
	case "TL":
		s.leading = finite(args[0])
	case "Ts":
		s.rise = finite(args[0])
	default:
		return false
	}
	return true
}

func (d *pdfDrawing) move(op string, args []any) {
	switch op {
	case "BT":
		d.text, d.line = identity, identity
	case "Td":
		d.nextLine(finite(args[0]), finite(args[1]))
	case "TD":
		d.state.leading = -finite(args[1])
		d.nextLine(finite(args[0]), finite(args[1]))
	case "Tm":
		d.text = matrixOf(args)
		d.line = d.text
	case "T*":
		d.nextLine(0, -d.state.leading)
	case "Tj":
		d.show(args[0])
	case "'":
		d.nextLine(0, -d.state.leading)
		d.show(args[0])
	case `"`:
		d.state.wordSpace, d.state.charSpace = finite(args[0]), finite(args[1])
		d.nextLine(0, -d.state.leading)
		d.show(args[2])
	case "TJ":
		d.showAll(args[0])
	}
}

func (d *pdfDrawing) nextLine(x, y float64) {
	d.line = matrix{a: 1, d: 1, e: x, f: y}.mul(d.line)
	d.text = d.line
}

func (d *pdfDrawing) showAll(v any) {
	list, _ := v.([]any)
	for _, v := range list {
		if x, ok := v.(float64); ok {
			d.advance(-finite(x) / 1000 * d.state.size * d.state.scale)
		} else {
			d.show(v)
		}
	}
}

// show draws a string with the font that is set.
func (d *pdfDrawing) show(v any) {
	s := d.state
	raw, _ := v.(pdfString)
	if s.font == nil || raw == "" {
		return
	}
	text, width, codes, spaces := s.font.decode(string(raw))
	if text == "" {
		d.unknown += codes
	}
	letter := matrix{a: s.size * s.scale, d: s.size, f: s.rise}
	from := letter.mul(d.text).mul(s.ctm)
	d.advance((width/1000*s.size + s.charSpace*float64(codes) + s.wordSpace*float64(spaces)) * s.scale)
	to := letter.mul(d.text).mul(s.ctm)
	d.lines.add(text, from, math.Hypot(to.e-from.e, to.f-from.f))
}

func (d *pdfDrawing) advance(x float64) { d.text = matrix{a: 1, d: 1, e: x}.mul(d.text) }

// form draws a form, a piece of page with resources of its own.
func (d *pdfDrawing) form(v any) error {
	x, ok := d.get(v).(*pdfStream)
	if !ok || d.name(x.dict["Subtype"]) != "Form" || d.forms >= maxForms {
		return nil
	}
	content, err := d.decode(x, maxStreamBytes)
	if err != nil {
		return err
	}
	d.budget.take(len(content)) // a form that draws itself twice would go on for ever
	inner := pdfDrawing{pdfReader: d.pdfReader, resources: d.resources, state: d.state, forms: d.forms + 1}
	if own := d.dict(x.dict["Resources"]); own != nil {
		inner.resources = own
	}
	if m := d.list(x.dict["Matrix"]); len(m) == 6 {
		inner.state.ctm = matrixOf(m).mul(inner.state.ctm)
	}
	return inner.run(content)
}
