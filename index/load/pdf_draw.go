package load

import (
	"math"

	"github.com/ledongthuc/pdf"
)

// maxForms is how deep forms may draw one another.
const maxForms = 8

// A matrix maps (x, y) to (a·x + c·y + e, b·x + d·y + f), as in PDF 32000-1, 8.3.3.
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// mul is m followed by n.
func (m matrix) mul(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

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
	resources pdf.Value
	state     pdfState
	saved     []pdfState
	text      matrix
	line      matrix
	forms     int // how many forms this one lies in
}

// do runs an operator. Operators with the wrong operands do nothing.
func (d *pdfDrawing) do(stack *pdf.Stack, op string) {
	d.check()
	args := make([]pdf.Value, stack.Len())
	for i := len(args) - 1; i >= 0; i-- {
		args[i] = stack.Pop()
	}
	if len(args) < operands[op] {
		return
	}
	if !d.setState(op, args) {
		d.move(op, args)
	}
}

// operands is how many an operator needs.
var operands = map[string]int{"cm": 6, "Tf": 2, "Tc": 1, "Tw": 1, "Tz": 1, "TL": 1, "Ts": 1, "Td": 2, "TD": 2, "Tm": 6,
	"Tj": 1, "TJ": 1, "'": 1, `"`: 3, "Do": 1}

func (d *pdfDrawing) setState(op string, args []pdf.Value) bool {
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
		s.font, s.size = d.font(d.resources.Key("Font").Key(args[0].Name())), number(args[1])
	case "Tc":
		s.charSpace = number(args[0])
	case "Tw":
		s.wordSpace = number(args[0])
	case "Tz":
		s.scale = number(args[0]) / 100
	case "TL":
		s.leading = number(args[0])
	case "Ts":
		s.rise = number(args[0])
	default:
		return false
	}
	return true
}

func (d *pdfDrawing) move(op string, args []pdf.Value) {
	switch op {
	case "BT":
		d.text, d.line = identity, identity
	case "Td":
		d.nextLine(number(args[0]), number(args[1]))
	case "TD":
		d.state.leading = -number(args[1])
		d.nextLine(number(args[0]), number(args[1]))
	case "Tm":
		d.text = matrixOf(args)
		d.line = d.text
	case "T*":
		d.nextLine(0, -d.state.leading)
	case "Tj":
		d.show(args[0].RawString())
	case "'":
		d.nextLine(0, -d.state.leading)
		d.show(args[0].RawString())
	case `"`:
		d.state.wordSpace, d.state.charSpace = number(args[0]), number(args[1])
		d.nextLine(0, -d.state.leading)
		d.show(args[2].RawString())
	case "TJ":
		d.showAll(args[0])
	case "Do":
		d.form(d.resources.Key("XObject").Key(args[0].Name()))
	}
}

func (d *pdfDrawing) nextLine(x, y float64) {
	d.line = matrix{a: 1, d: 1, e: x, f: y}.mul(d.line)
	d.text = d.line
}

func (d *pdfDrawing) showAll(list pdf.Value) {
	for i := range list.Len() {
		d.check()
		switch v := list.Index(i); v.Kind() {
		case pdf.String:
			d.show(v.RawString())
		case pdf.Integer, pdf.Real:
			d.advance(-number(v) / 1000 * d.state.size * d.state.scale)
		}
	}
}

// show draws a string with the font that is set.
func (d *pdfDrawing) show(raw string) {
	s := d.state
	if s.font == nil || raw == "" {
		return
	}
	text, width, codes, spaces := s.font.decode(raw)
	if text == "" {
		d.unknown += codes
	}
	place := matrix{a: s.size * s.scale, d: s.size, f: s.rise}.mul(d.text).mul(s.ctm)
	length := (width/1000*s.size + s.charSpace*float64(codes) + s.wordSpace*float64(spaces)) * s.scale
	d.advance(length)
	end := matrix{a: s.size * s.scale, d: s.size, f: s.rise}.mul(d.text).mul(s.ctm)
	d.lines.add(text, place, math.Hypot(end.e-place.e, end.f-place.f))
}

func (d *pdfDrawing) advance(x float64) { d.text = matrix{a: 1, d: 1, e: x}.mul(d.text) }

// form draws a form, a piece of page with resources of its own.
func (d *pdfDrawing) form(x pdf.Value) {
	if x.Kind() != pdf.Stream || x.Key("Subtype").Name() != "Form" || d.forms >= maxForms {
		return
	}
	boundStreams(x)
	inner := pdfDrawing{pdfReader: d.pdfReader, resources: d.resources, state: d.state, forms: d.forms + 1}
	if own := x.Key("Resources"); own.Kind() == pdf.Dict {
		inner.resources = own
	}
	if m := x.Key("Matrix"); m.Len() == 6 {
		args := make([]pdf.Value, 6)
		for i := range args {
			args[i] = m.Index(i)
		}
		inner.state.ctm = matrixOf(args).mul(inner.state.ctm)
	}
	pdf.Interpret(x, inner.do)
}

func matrixOf(args []pdf.Value) matrix {
	return matrix{number(args[0]), number(args[1]), number(args[2]), number(args[3]), number(args[4]), number(args[5])}
}

// number is a finite number; other values are 0.
func number(v pdf.Value) float64 {
	f := v.Float64()
	if math.IsNaN(f) || math.Abs(f) > 1e9 {
		return 0
	}
	return f
}
