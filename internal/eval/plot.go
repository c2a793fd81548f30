package eval

import (
	"fmt"
	"html"
	"strings"
)

// The size of a plot, in pixels, and of the space around its field.
const (
	plotWidth, plotHeight = 480, 320
	plotLeft, plotRight   = 52, 16
	plotTop, plotBottom   = 34, 44
)

// plot is a drawing with both axes from 0 to 1 unless xs names places.
type plot struct {
	title, xAxis, yAxis string
	xs                  []string // labels of the places on the x-axis, evenly apart; nil: an axis from 0 to 1
	body                strings.Builder
}

func plotX(x float64) float64 { return plotLeft + x*(plotWidth-plotLeft-plotRight) }
func plotY(y float64) float64 { return plotHeight - plotBottom - y*(plotHeight-plotTop-plotBottom) }

// point is a place in a field from 0 to 1.
type point struct{ x, y float64 }

// line draws a line with a dot at each point.
func (p *plot) line(color, name string, points []point) {
	var path []string
	for _, q := range points {
		path = append(path, fmt.Sprintf("%.1f,%.1f", plotX(q.x), plotY(q.y)))
		fmt.Fprintf(&p.body, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"><title>%s %.3f</title></circle>`+"\n", plotX(q.x), plotY(q.y), color, html.EscapeString(name), q.y)
	}
	fmt.Fprintf(&p.body, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(path, " "), color)
}

// diagonal draws a dashed line from corner to corner.
func (p *plot) diagonal() {
	fmt.Fprintf(&p.body, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#999" stroke-dasharray="4 4"/>`+"\n", plotX(0), plotY(0), plotX(1), plotY(1))
}

// bar draws a bar from the x-axis up.
func (p *plot) bar(color, name string, from, to, height float64) {
	fmt.Fprintf(&p.body, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" fill-opacity="0.55"><title>%s %.3f</title></rect>`+"\n",
		plotX(from), plotY(height), plotX(to)-plotX(from), plotY(0)-plotY(height), color, html.EscapeString(name), height)
}

// legend writes a name in its color at the top of the field.
func (p *plot) legend(n int, color, name string) {
	fmt.Fprintf(&p.body, `<text x="%.1f" y="%d" fill="%s">%s</text>`+"\n", plotX(0)+8, plotTop+14+16*n, color, html.EscapeString(name))
}

// svg is the whole drawing.
func (p *plot) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<text x="%d" y="20" font-weight="bold">%s</text>`+"\n", plotLeft, html.EscapeString(p.title))
	for i := range 6 {
		y := float64(i) / 5
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1[2]f" stroke="#e4e4e4"/><text x="%[4]d" y="%.1[5]f" text-anchor="end">%.1[6]f</text>`+"\n",
			plotX(0), plotY(y), plotX(1), plotLeft-6, plotY(y)+4, y)
	}
	for i, label := range p.labels() {
		x := float64(i) / float64(max(len(p.labels())-1, 1))
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", plotX(x), plotHeight-plotBottom+16, html.EscapeString(label))
	}
	fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", plotX(0.5), plotHeight-8, html.EscapeString(p.xAxis))
	fmt.Fprintf(&b, `<text transform="translate(14 %.1f) rotate(-90)" text-anchor="middle">%s</text>`+"\n", plotY(0.5), html.EscapeString(p.yAxis))
	b.WriteString(p.body.String())
	b.WriteString("</svg>\n")
	return b.String()
}

func (p *plot) labels() []string {
	if p.xs != nil {
		return p.xs
	}
	return []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}
}
