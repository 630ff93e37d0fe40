package paper

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Functions of documents are short: a row is four steps, each of small ones.
func TestFunctionsAreShort(t *testing.T) {
	const median, ninetieth, longest = 15, 35, 60
	var lengths []int
	set := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
				lengths = append(lengths, n)
				if n > longest {
					t.Errorf("%s: %s has %d lines", set.Position(f.Pos()), f.Name.Name, n)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lengths)
	n := len(lengths)
	if n < 100 {
		t.Fatalf("only %d functions were found", n)
	}
	if lengths[n/2] > median || lengths[n*9/10] > ninetieth {
		t.Errorf("median %d and 90th percentile %d lines of %d functions, want at most %d and %d", lengths[n/2], lengths[n*9/10], n, median, ninetieth)
	}
	t.Logf("%d functions: median %d, 90th percentile %d, longest %d lines", n, lengths[n/2], lengths[n*9/10], lengths[n-1])
}
