package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// parseVectors reads the answer to want texts and restores their order.
func (e *endpoint) parseVectors(status int, raw []byte, want int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     *int            `json:"index"`
			Embedding json.RawMessage `json:"embedding"`
		} `json:"data"`
		Error *wireError `json:"error"`
	}
	if err := e.decode(raw, &answer); err != nil {
		return nil, err
	}
	if answer.Error != nil {
		return nil, e.replyError(answer.Error, status, raw)
	}
	if len(answer.Data) != want {
		return nil, e.malformed(fmt.Sprintf("it holds %d vectors for %d texts", len(answer.Data), want), nil)
	}
	vectors := make([][]float32, want)
	for i, row := range answer.Data {
		at := i
		if row.Index != nil {
			at = *row.Index
		}
		if at < 0 || at >= want || vectors[at] != nil {
			return nil, e.malformed(fmt.Sprintf("the index %d of a vector is out of range or there twice", at), nil)
		}
		vector, err := parseVector(row.Embedding)
		if err != nil {
			return nil, e.malformed(fmt.Sprintf("vector %d: %v", at, err), err)
		}
		vectors[at] = vector
	}
	return vectors, nil
}

// parseVector reads one vector; encoding/json would read a null in it as 0.
func parseVector(raw json.RawMessage) ([]float32, error) {
	if bytes.Contains(raw, []byte("null")) {
		return nil, fmt.Errorf("it holds null")
	}
	var vector []float32
	if err := json.Unmarshal(raw, &vector); err != nil {
		return nil, err
	}
	if len(vector) == 0 {
		return nil, fmt.Errorf("it is empty")
	}
	for _, x := range vector {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("it holds %v", f)
		}
	}
	return vector, nil
}
