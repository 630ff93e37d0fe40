package foretell_test

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unbounded are the functions that read what they are given to its end, or open whatever
// has a name.
var unbounded = []string{"os.ReadFile", "os.Open", "os.OpenFile", "io.ReadAll", "bufio.NewScanner"}

// bounders may call them: internal/limit is where the bound is, internal/durable opens
// folders and what it has made itself, an archive's members are bounded in place, and
// claimtest and internal/golden are for tests only.
var bounders = []string{"internal/limit", "internal/durable", "internal/npz", "claim/claimtest", "internal/golden"}

// Every file is read through a bound, so that no name on a command line can be one that
// has no end.
func TestFilesAreReadThroughABound(t *testing.T) {
	eachFile(t, func(path string, _ []string, set *token.FileSet, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || slices.Contains(bounders, filepath.ToSlash(filepath.Dir(path))) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			called, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := called.X.(*ast.Ident); ok && slices.Contains(unbounded, of.Name+"."+called.Sel.Name) {
				t.Errorf("%s: %s.%s reads without a bound; take internal/limit", set.Position(n.Pos()), of.Name, called.Sel.Name)
			}
			return true
		})
	})
}
