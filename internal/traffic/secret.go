package traffic

import (
	"bytes"
	"strings"
)

// blotted stands for a secret; package llm writes the same into its errors.
const blotted = "[API key]"

// blot removes secrets. A body that holds one becomes a single piece, since a secret may stand across two.
func (e *exchange) blot(secrets []string) {
	for _, secret := range secrets {
		e.Request = bytes.ReplaceAll(e.Request, []byte(secret), []byte(blotted))
		e.Path = strings.ReplaceAll(e.Path, secret, blotted)
		if e.Failure != nil {
			e.Failure.Text = strings.ReplaceAll(e.Failure.Text, secret, blotted)
		}
		var whole []byte
		for _, c := range e.Body {
			whole = append(whole, c...)
		}
		if bytes.Contains(whole, []byte(secret)) {
			e.Body = []chunk{bytes.ReplaceAll(whole, []byte(secret), []byte(blotted))}
		}
	}
}
