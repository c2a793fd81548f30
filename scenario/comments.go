package scenario

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"strings"
)

// Comments are the doc comments of struct types and their fields, by "package.Type" and "package.Type.Field". A comment
// behind a field counts as the field's.
type Comments map[string]string

// ReadComments reads the Go files of folders, without their tests. It is meant for the test that keeps a schema up to date.
func ReadComments(folders ...string) (Comments, error) {
	all := Comments{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, fmt.Errorf("read the comments: %w", err)
			}
			all.take(parsed)
		}
	}
	return all, nil
}

func (c Comments) take(file *ast.File) {
	for _, d := range file.Decls {
		types, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range types.Specs {
			t, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			s, ok := t.Type.(*ast.StructType)
			if !ok {
				continue
			}
			name := file.Name.Name + "." + t.Name.Name
			c[name] = said(t.Doc, types.Doc)
			for _, f := range s.Fields.List {
				for _, id := range f.Names {
					c[name+"."+id.Name] = said(f.Doc, f.Comment)
				}
			}
		}
	}
}

// said is the first comment that there is, on one line.
func said(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if text := strings.Join(strings.Fields(g.Text()), " "); text != "" {
			return text
		}
	}
	return ""
}

// Describe is the comment of a field, or of the type when field is empty.
func (c Comments) Describe(t reflect.Type, field string) string {
	key := path.Base(t.PkgPath()) + "." + t.Name()
	if field != "" {
		key += "." + field
	}
	return c[key]
}
