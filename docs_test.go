package foretell_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every exported name has a docstring, every package a comment, and every public
// package an Example.
func TestDocumentation(t *testing.T) {
	set := token.NewFileSet()
	comments, examples, programs := map[string]bool{}, map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		comments[dir] = comments[dir] || file.Doc != nil && !strings.HasSuffix(path, "_test.go")
		programs[dir] = programs[dir] || file.Name.Name == "main"
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Example") {
				examples[dir] = true
			}
			if !strings.HasSuffix(path, "_test.go") && file.Name.Name != "main" {
				for _, name := range undocumented(d) {
					t.Errorf("%s: %s has no docstring", set.Position(d.Pos()), name)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(comments) < 15 {
		t.Fatalf("only %d packages were found", len(comments))
	}
	for dir, has := range comments {
		if !has {
			t.Errorf("%s has no package comment", dir)
		}
		private := strings.Contains(filepath.ToSlash(dir)+"/", "internal/") || programs[dir] ||
			strings.HasSuffix(dir, "test") // what tests share
		if !private && !examples[dir] {
			t.Errorf("%s has no Example", dir)
		}
	}
}

// undocumented lists the exported names of a declaration that have no comment.
// Methods of types that are not exported implement someone else's contract.
func undocumented(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) && d.Name.Name != "Error" && d.Name.Name != "String" {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

// The training that README shows is the file that its commands name.
func TestReadmeShowsItsExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("examples/mess3.yaml")
	if err != nil {
		t.Fatal(err)
	}
	keys := file[bytes.Index(file, []byte("process:")):]
	if !bytes.Contains(readme, slices.Concat([]byte("```yaml\n"), keys, []byte("```\n"))) {
		t.Errorf("README.md does not show examples/mess3.yaml:\n%s", keys)
	}
}
