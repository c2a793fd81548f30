package tools

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/kbagent/kbagent/internal/readable"
)

// readPart is the readable part of an HTML page as Markdown; a page in which no such part is found is taken as a whole.
func readPart(text string, at *url.URL) (webDoc, error) {
	page, err := readable.From(text, at, readable.Options{})
	switch {
	case errors.Is(err, readable.ErrTooLarge):
		return webDoc{}, &Error{Code: CodeTooLarge, Message: fmt.Sprintf("%s: %v", at, err)}
	case err != nil:
		return webDoc{}, &Error{Code: CodeFailed, Message: fmt.Sprintf("%s: %v", at, err)}
	}
	return webDoc{title: page.Title, text: page.Text, markdown: true}, nil
}
