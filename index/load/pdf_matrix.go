package load

import "math"

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

func matrixOf(args []any) matrix {
	return matrix{finite(args[0]), finite(args[1]), finite(args[2]), finite(args[3]), finite(args[4]), finite(args[5])}
}

// finite is a number of a size that can be counted with; other values are 0.
func finite(v any) float64 {
	f, _ := v.(float64)
	if math.IsNaN(f) || math.Abs(f) > 1e9 {
		return 0
	}
	return f
}
