package repl

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
)

// vt is a terminal of 80 columns and 24 rows, as far as the conversation uses one: it keeps what stands on the screen
// and what has scrolled away, and knows its cursor.
type vt struct {
	rows     [][]string // cells; "" behind a wide character
	top      int        // rows above are scrolled away
	row, col int        // row from top
	wrap     bool       // the last column was written; the next character starts a row
	rest     string     // an escape sequence whose end is missing
	colored  bool       // a colour was used
	queries  int        // of the cursor's position, not answered yet
	atRest   bool       // the line editor has drawn its line and waits for keys
}

const vtWidth, vtHeight = 80, 24

var csi = regexp.MustCompile(`^\x1b\[([?>]?)([0-9;]*)([ -/]*[@-~])`)

// write shows text.
func (v *vt) write(text string) {
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
func (v *vt) escape(text string) int {
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

func (v *vt) control(final, parameters string, n int) {
	v.wrap = false
	switch final {
	case "A":
		v.row = max(0, v.row-n)
	case "B":
		v.row = min(vtHeight-1, v.row+n)
	case "C":
		v.col = min(vtWidth-1, v.col+n)
	case "D":
		v.col = max(0, v.col-n)
	case "K":
		v.erase(v.row, v.col, parameters)
	case "J":
		v.erase(v.row, v.col, "")
		for r := v.row + 1; r < vtHeight; r++ {
			v.erase(r, 0, "")
		}
	case "m":
		v.colored = v.colored || !slices.Contains([]string{"", "0", "39", "49"}, parameters) // the defaults are none
	case "n":
		v.queries++
	case "?h", "?l": // 2004 begins and ends a line, 25 hides the cursor while it is drawn
		v.atRest = final == "?h" && parameters == "25"
	}
}

// line is the cells of a row of the screen.
func (v *vt) line(row int) []string {
	for len(v.rows) <= v.top+row {
		v.rows = append(v.rows, make([]string, vtWidth))
	}
	return v.rows[v.top+row]
}

func (v *vt) erase(row, col int, parameters string) {
	line := v.line(row)
	from, to := col, vtWidth
	switch parameters {
	case "1":
		from, to = 0, col+1
	case "2":
		from = 0
	}
	clear(line[from:min(to, vtWidth)])
}

func (v *vt) put(cluster string, width int) {
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
		if v.wrap || v.col+width > vtWidth {
			v.col = 0
			v.down()
		}
		line := v.line(v.row)
		line[v.col] = cluster
		if width == 2 {
			line[v.col+1] = "\x00"
		}
		v.col += width
		if v.col >= vtWidth {
			v.col, v.wrap = vtWidth-1, true
		}
	}
}

func (v *vt) down() {
	v.wrap = false
	if v.row == vtHeight-1 {
		v.top++
		v.line(v.row)
		return
	}
	v.row++
}

// text is all that was shown and not erased, without white space at the ends of lines.
func (v *vt) text() string {
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
