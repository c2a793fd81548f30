package llmtest

import (
	"hash/fnv"
	"math"
	"strings"
	"unicode"
)

// Dimensions is the length of the vectors of [Embed].
const Dimensions = 128

// Embed turns a text into a unit vector, the same every time: each word is hashed to a few places, so
// that texts that share words are similar (cosine well above 0) and others are not (near 0). A text
// without letters and digits gives the first unit vector.
func Embed(text string) []float32 {
	var sum [Dimensions]float64
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for _, word := range words {
		h := fnv.New64a()
		h.Write([]byte(word)) // a hash never fails
		bits := h.Sum64()
		for range 4 {
			sign := 1 - 2*float64(bits&1)
			sum[bits>>1%Dimensions] += sign
			bits >>= 8
		}
	}
	return unit(sum[:])
}

func unit(sum []float64) []float32 {
	var square float64
	for _, x := range sum {
		square += x * x
	}
	if square == 0 {
		sum[0], square = 1, 1
	}
	vector := make([]float32, len(sum))
	for i, x := range sum {
		vector[i] = float32(x / math.Sqrt(square))
	}
	return vector
}

// Vectors answers an embedding request for these texts, with [Embed].
func Vectors(texts []string) Reply {
	data := make([]map[string]any, len(texts))
	for i, text := range texts {
		data[i] = map[string]any{"object": "embedding", "index": i, "embedding": Embed(text)}
	}
	return Reply{func(x *exchange) {
		writeJSON(x.w, map[string]any{
			"object": "list", "data": data, "model": "embed",
			"usage": map[string]int{"prompt_tokens": len(texts), "total_tokens": len(texts)},
		})
	}}
}
