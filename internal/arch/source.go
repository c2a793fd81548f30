package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// file is what the law asks about a source file.
type file struct {
	name    string // path from the root
	pkg     string // the package's path within the module
	test    bool
	imports []imported
	calls   []environmentUse
}

type imported struct {
	path string
	line int
}

// environmentUse is a function of the environment that a file mentions, and the variable when it is a literal.
type environmentUse struct {
	name     string
	argument string
	line     int
}

// read parses all Go files of the module.
func read(root fs.FS) ([]file, error) {
	var files []file
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && foreign(root, name):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parse(name, text)
		files = append(files, f)
		return err
	})
	return files, err
}

// foreign reports whether a folder holds nothing of the module's own.
func foreign(root fs.FS, name string) bool {
	base := path.Base(name)
	if base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' {
		return true
	}
	_, err := fs.Stat(root, path.Join(name, "go.mod"))
	return err == nil
}

func parse(name string, text []byte) (file, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return file{}, err
	}
	f := file{name: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go")}
	if f.pkg == "." {
		f.pkg = ""
	}
	line := func(n ast.Node) int { return set.Position(n.Pos()).Line }
	names := map[string]bool{} // of package os in this file
	for _, spec := range tree.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return file{}, fmt.Errorf("%s:%d: %w", name, line(spec), err)
		}
		f.imports = append(f.imports, imported{target, line(spec)})
		if target == "os" || target == "syscall" {
			local := target
			if spec.Name != nil {
				local = spec.Name.Name
			}
			names[local] = true
		}
	}
	f.calls = environmentUses(tree, names, line)
	return f, nil
}

// environmentUses finds the functions of the environment, called or passed on. A dot import of os counts for every
// name that it could mean.
func environmentUses(tree *ast.File, names map[string]bool, line func(ast.Node) int) []environmentUse {
	var found []environmentUse
	arguments := map[ast.Expr]string{}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if len(n.Args) == 1 {
				if lit, ok := n.Args[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
					arguments[n.Fun], _ = strconv.Unquote(lit.Value) // the parser has accepted it
				}
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && names[x.Name] && slices.Contains(environmentFunctions, n.Sel.Name) {
				found = append(found, environmentUse{n.Sel.Name, arguments[n], line(n)})
			}
		case *ast.Ident:
			if names["."] && slices.Contains(environmentFunctions, n.Name) {
				found = append(found, environmentUse{n.Name, arguments[n], line(n)})
			}
		}
		return true
	})
	return found
}
