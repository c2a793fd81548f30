package agent

import (
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/tools"
)

// Library is an index as the nodes look into it. vectors says whether an embedding endpoint is configured.
func Library(ix *index.Index, vectors bool) nodes.Library { return library{ix, vectors} }

type library struct {
	*index.Index
	vectors bool
}

// HasVectors implements nodes.Library.
func (l library) HasVectors() bool { return l.vectors }

// fileName is what a file's name in a question looks like.
var fileName = regexp.MustCompile(`[\pL\pN_./\\-]+\.[A-Za-z][A-Za-z0-9]{0,7}\b`)

// NamedFiles implements nodes.Library: the indexed files whose path, or whose path's end, stands in the text, of those that
// the question is bound to.
func (l library) NamedFiles(ctx context.Context, text string) ([]string, error) {
	names := fileName.FindAllString(text, -1)
	if len(names) == 0 {
		return nil, nil
	}
	files, err := l.Within(tools.FilterOf(ctx)).Files(ctx, "")
	if err != nil {
		return nil, err
	}
	var found []string
	for _, f := range files {
		for _, name := range names {
			name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
			if f.Path == name || strings.HasSuffix(f.Path, "/"+name) {
				found = append(found, f.Path)
				break
			}
		}
	}
	return found, nil
}
