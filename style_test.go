package foretell_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// eachFile calls check with every Go file that the rules hold for, its lines and its
// syntax.
func eachFile(t *testing.T, check func(path string, lines []string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		files++
		check(path, strings.Split(string(text), "\n"), set, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 200 {
		t.Fatalf("only %d files were found", files)
	}
}

// Imports stand in three groups with blank lines between them: the standard library,
// this module, and others.
func TestImportsAreInThreeGroups(t *testing.T) {
	group := func(path string) int {
		first, _, _ := strings.Cut(path, "/")
		switch {
		case first == "foretell":
			return 1
		case strings.Contains(first, "."):
			return 2
		}
		return 0
	}
	eachFile(t, func(_ string, _ []string, set *token.FileSet, file *ast.File) {
		for i := 1; i < len(file.Imports); i++ {
			before, this := file.Imports[i-1], file.Imports[i]
			a, b := group(strings.Trim(before.Path.Value, `"`)), group(strings.Trim(this.Path.Value, `"`))
			lines := set.Position(this.Pos()).Line - set.Position(before.Pos()).Line
			if b < a || (b == a) != (lines == 1) {
				t.Errorf("%s: %s after %s: want the standard library, foretell/… and others, a blank line between them",
					set.Position(this.Pos()), this.Path.Value, before.Path.Value)
			}
		}
	})
}

// Lines of code have at most 120 columns, lines of comments 90, where a tab is one. Of
// tests the comments alone are held to it: their tables have long rows.
func TestLinesAreNotTooLong(t *testing.T) {
	eachFile(t, func(path string, lines []string, set *token.FileSet, file *ast.File) {
		limits := make([]int, len(lines))
		if !strings.HasSuffix(path, "_test.go") {
			limits = slices.Repeat([]int{120}, len(lines))
		}
		for _, group := range file.Comments {
			limitComment(limits, lines, set, group)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && strings.Contains(text.Value, "\n") {
				clear(limits[set.Position(text.Pos()).Line-1 : set.Position(text.End()).Line])
			}
			return true
		})
		for i, line := range lines {
			if n := utf8.RuneCountInString(line); limits[i] > 0 && n > limits[i] {
				t.Errorf("%s:%d has %d columns, want at most %d", path, i+1, n, limits[i])
			}
		}
	})
}

// limitComment sets the limits of the lines that hold nothing but a comment. What an
// example prints, what is preformatted, addresses and directives are as long as they are.
func limitComment(limits []int, lines []string, set *token.FileSet, group *ast.CommentGroup) {
	output := false
	for _, c := range group.List {
		at := set.Position(c.Pos()).Line - 1
		if !strings.HasPrefix(strings.TrimSpace(lines[at]), "//") {
			continue
		}
		output = output || strings.HasPrefix(c.Text, "// Output:")
		limits[at] = 90
		if output || strings.HasPrefix(c.Text, "//\t") || !strings.HasPrefix(c.Text, "// ") || strings.Contains(c.Text, "://") {
			limits[at] = 0
		}
	}
}

// A test that is left out says why through foretell/internal/needs, which counts what is
// missing and skips nothing where CI is set. A property may pass over what was drawn, by
// the T of rapid.
func TestSkipsGoThroughNeeds(t *testing.T) {
	eachFile(t, func(path string, _ []string, set *token.FileSet, file *ast.File) {
		if filepath.Dir(path) == filepath.Join("internal", "needs") {
			return
		}
		eachCall(file, func(call *ast.CallExpr, drawn bool) {
			method, ok := call.Fun.(*ast.SelectorExpr)
			if ok && !drawn && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, method.Sel.Name) {
				t.Errorf("%s: a test is skipped; say what it needs through internal/needs", set.Position(call.Pos()))
			}
		})
	})
}

// eachCall calls visit with every call of a file, and whether the function that it stands
// in takes a *rapid.T.
func eachCall(file *ast.File, visit func(call *ast.CallExpr, drawn bool)) {
	var within func(node ast.Node, drawn bool)
	within = func(node ast.Node, drawn bool) {
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body != nil {
					within(n.Body, takesDrawn(n.Type))
				}
				return false
			case *ast.FuncLit:
				within(n.Body, takesDrawn(n.Type))
				return false
			case *ast.CallExpr:
				visit(n, drawn)
			}
			return true
		})
	}
	within(file, false)
}

// takesDrawn says whether a function's first parameter is a *rapid.T.
func takesDrawn(f *ast.FuncType) bool {
	if len(f.Params.List) == 0 {
		return false
	}
	pointer, ok := f.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	name, ok := pointer.X.(*ast.SelectorExpr)
	return ok && name.Sel.Name == "T" && name.X.(*ast.Ident).Name == "rapid"
}

// Code is read with a tab of four columns, too: few lines are over 120 then. The tables
// of the assembly's generators are exempt.
func TestFewLinesAreLongWithTabsOfFour(t *testing.T) {
	const most = 60
	var long []string
	eachFile(t, func(path string, lines []string, set *token.FileSet, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(filepath.ToSlash(path), "internal/kernel/asm/") {
			return
		}
		for i, line := range lines {
			if utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) > 120 {
				long = append(long, path+":"+strconv.Itoa(i+1))
			}
		}
	})
	if len(long) > most {
		t.Errorf("%d lines are over 120 columns with a tab of 4, want at most %d:\n%s", len(long), most, strings.Join(long, "\n"))
	}
}

// A statement appends to one slice: two in one line save a line and cost a reader.
func TestStatementsAppendOnce(t *testing.T) {
	eachFile(t, func(path string, _ []string, set *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			assigned, ok := n.(*ast.AssignStmt)
			if !ok || strings.HasSuffix(path, "_test.go") {
				return true
			}
			appends := 0
			for _, value := range assigned.Rhs {
				if call, ok := value.(*ast.CallExpr); ok {
					if called, ok := call.Fun.(*ast.Ident); ok && called.Name == "append" {
						appends++
					}
				}
			}
			if appends > 1 {
				t.Errorf("%s: one statement appends %d times", set.Position(n.Pos()), appends)
			}
			return true
		})
	})
}
