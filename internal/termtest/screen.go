package termtest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
)

// Screen is what a terminal shows, as far as the conversation uses one: it keeps what stands on it and what has scrolled away,
// and knows its cursor. The zero value has no size; see [NewScreen]. It is for one goroutine.
type Screen struct {
	// Colored says that a colour or another style was used.
	Colored bool
	// AtRest says that the line editor has drawn its line and waits for keys.
	AtRest bool

	width, height int
	rows          [][]string // cells; "\x00" behind a wide character
	top           int        // rows above are scrolled away
	row, col      int        // row from top
	wrap          bool       // the last column was written; the next character starts a row
	rest          string     // an escape sequence whose end is missing
	queries       int        // of the cursor's position, not answered yet
}

// NewScreen is an empty screen of a size.
func NewScreen(width, height int) *Screen { return &Screen{width: width, height: height} }

// Resize changes the size. Lines are not broken anew, as on the older terminals.
func (v *Screen) Resize(width, height int) {
	if lost := v.row - (height - 1); lost > 0 {
		v.top, v.row = v.top+lost, v.row-lost
	}
	v.width, v.height, v.col, v.wrap = width, height, min(v.col, width-1), false
}

var csi = regexp.MustCompile(`^\x1b\[([?>]?)([0-9;]*)([ -/]*[@-~])`)

// Write shows text.
func (v *Screen) Write(text string) {
	text, v.rest = v.rest+text, ""
	for text != "" {
		if text[0] == '\x1b' {
			n := v.escape(text)
			if n == 0 {
				v.rest = text
				return
			}
			text = text[n:]
			continue
		}
		cluster, more, width, _ := uniseg.FirstGraphemeClusterInString(text, -1)
		v.put(cluster, width)
		text = more
	}
}

// escape obeys one escape sequence and returns its length, 0 when its end is missing.
func (v *Screen) escape(text string) int {
	m := csi.FindStringSubmatch(text)
	switch {
	case m != nil:
		n, err := strconv.Atoi(m[2])
		if err != nil {
			n = 1 // several parameters, or none
		}
		v.control(m[1]+m[3], m[2], n)
		return len(m[0])
	case len(text) < 2 || text[1] == '[' && !strings.ContainsAny(text[2:], "\x1b\n"):
		return 0
	default:
		return 2
	}
}

func (v *Screen) control(final, parameters string, n int) {
	v.wrap = false
	switch final {
	case "A":
		v.row = max(0, v.row-n)
	case "B":
		v.row = min(v.height-1, v.row+n)
	case "C":
		v.col = min(v.width-1, v.col+n)
	case "D":
		v.col = max(0, v.col-n)
	case "K":
		v.erase(v.row, v.col, parameters)
	case "J":
		v.erase(v.row, v.col, "")
		for r := v.row + 1; r < v.height; r++ {
			v.erase(r, 0, "")
		}
	case "m":
		v.Colored = v.Colored || !slices.Contains([]string{"", "0", "39", "49"}, parameters) // the defaults are none
	case "n":
		v.queries++
	case "?h", "?l": // 2004 begins and ends a line, 25 hides the cursor while it is drawn
		v.AtRest = final == "?h" && parameters == "25"
	}
}

// line is the cells of a row of the screen.
func (v *Screen) line(row int) []string {
	for len(v.rows) <= v.top+row {
		v.rows = append(v.rows, nil)
	}
	line := &v.rows[v.top+row]
	for len(*line) < v.width { // new, or the screen has become wider
		*line = append(*line, "")
	}
	return *line
}

func (v *Screen) erase(row, col int, parameters string) {
	line := v.line(row)
	from, to := col, v.width
	switch parameters {
	case "1":
		from, to = 0, col+1
	case "2":
		from = 0
	}
	clear(line[from:min(to, v.width)])
}

func (v *Screen) put(cluster string, width int) {
	switch cluster {
	case "\r\n":
		v.col = 0
		v.down()
	case "\n":
		v.down()
	case "\r":
		v.col, v.wrap = 0, false
	case "\b":
		v.col = max(0, v.col-1)
	case "\a":
	default:
		if v.wrap || v.col+width > v.width {
			v.col = 0
			v.down()
		}
		line := v.line(v.row)
		line[v.col] = cluster
		if width == 2 {
			line[v.col+1] = "\x00"
		}
		v.col += width
		if v.col >= v.width {
			v.col, v.wrap = v.width-1, true
		}
	}
}

func (v *Screen) down() {
	v.wrap = false
	if v.row == v.height-1 {
		v.top++
		v.line(v.row)
		return
	}
	v.row++
}

// Text is all that was shown and not erased, without white space at the ends of lines.
func (v *Screen) Text() string {
	var b strings.Builder
	for _, row := range v.rows {
		var line strings.Builder
		for _, cell := range row {
			switch cell {
			case "":
				line.WriteByte(' ')
			case "\x00":
			default:
				line.WriteString(cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
