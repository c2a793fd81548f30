package index

import (
	"github.com/viterin/vek"
	"github.com/viterin/vek/vek32"
)

// dot is the inner product of two vectors of one length, the whole cost of a vector search. Where the processor has AVX2 and
// FMA (amd64, not on macOS) a library does it with them; elsewhere plain Go, which gives the same but for the last bits, since
// the sums are made in another order.
var dot = fastestDot()

func fastestDot() func(a, b []float32) float32 {
	if vek.Info().Acceleration {
		return vek32.Dot
	}
	return plainDot // the library's own fallback is not unrolled, and half as fast
}

// plainDot is unrolled: the compiler does not.
func plainDot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}
