package tools

import (
	"fmt"

	"github.com/kbagent/kbagent/internal/readable"
	"github.com/kbagent/kbagent/tools/netguard"
)

// decodeText is the body of a page as UTF-8 with \n line breaks and without a byte order mark.
func decodeText(page netguard.Page) (string, error) {
	text, err := readable.Decode(page.Body, page.Type, page.ContentType)
	if err != nil {
		return "", &Error{Code: CodeNotAFile, Message: fmt.Sprintf("%s: %v", page.URL, err)}
	}
	return text, nil
}
