package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/limit"
)

// mostBytes is the largest size in bytes of a file that is read.
const mostBytes = 1 << 26

// mutant is a change of a file: the bytes from start to end are replaced by text.
type mutant struct {
	identity
	line       int
	start, end int
	text       string
}

// identity identifies a mutant independently of changes elsewhere in its file.
type identity struct {
	path     string // relative to the module's root
	function string // the name of the declaration, with the type of its receiver
	old, new string // the changed lines without indentation
	nth      int    // number, from 0, that distinguishes equal changes in one function
}

func (m mutant) String() string {
	return fmt.Sprintf("%s:%d: %s → %s", m.path, m.line, m.old, m.new)
}

// swapped maps an operator to its replacement.
var swapped = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.REM: token.MUL, token.SHL: token.SHR, token.SHR: token.SHL,
	token.AND: token.OR, token.OR: token.AND, token.LAND: token.LOR, token.LOR: token.LAND,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
}

// mutants returns the mutants of a file in source order, or nil for a generated file.
func mutants(path string) ([]mutant, error) {
	source, err := limit.ReadFile(path, "a Go file", mostBytes)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	f := &finder{set: set, path: filepath.ToSlash(path), source: string(source), nothing: map[ast.Node]bool{}}
	for _, d := range file.Decls {
		f.function = declared(d)
		ast.Inspect(d, f.visit)
	}
	return f.found, nil
}

// declared returns the name of a declaration: Type.Method for a method, and the keyword
// for a declaration that is not a function.
func declared(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok {
		return d.(*ast.GenDecl).Tok.String()
	}
	if f.Recv == nil {
		return f.Name.Name
	}
	name := ""
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return name + "." + f.Name.Name
}

// finder collects the mutants of a file.
type finder struct {
	set          *token.FileSet
	path, source string
	function     string
	found        []mutant
	nothing      map[ast.Node]bool // expressions that can change no result
}

func (f *finder) visit(n ast.Node) bool {
	if f.nothing[n] {
		return false
	}
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.CallExpr:
		if isNamed(n.Fun, "make") && len(n.Args) == 3 {
			f.nothing[n.Args[2]] = true // a capacity
		}
		if isNamed(n.Fun, "Inf") && len(n.Args) == 1 {
			f.nothing[n.Args[0]] = true // only its sign counts
		}
	case *ast.ReturnStmt:
		f.withError(n.Results)
	case *ast.BinaryExpr:
		f.swap(n.OpPos, n.Op)
	case *ast.BasicLit:
		if n.Kind == token.INT || n.Kind == token.FLOAT {
			f.add(n.Pos(), n.End(), "("+n.Value+" + 1)")
		}
	case *ast.IncDecStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.AssignStmt:
		f.swap(n.TokPos, n.Tok)
	case *ast.IfStmt:
		f.negate(n.Cond)
	case *ast.ForStmt:
		f.negate(n.Cond)
	case *ast.BlockStmt:
		f.drop(n.List)
	case *ast.CaseClause:
		f.drop(n.Body)
	}
	return true
}

// withError marks the zeros that are returned together with a new error. They change no
// result, because nobody reads them.
func (f *finder) withError(results []ast.Expr) {
	if len(results) < 2 {
		return
	}
	made, ok := results[len(results)-1].(*ast.CallExpr)
	if !ok || !isNamed(made.Fun, "Errorf", "wrong") {
		return
	}
	for _, result := range results {
		if zero, ok := result.(*ast.BasicLit); ok && zero.Value == "0" {
			f.nothing[zero] = true
		}
	}
}

// isNamed reports whether an expression is one of these names, with or without a package
// before it.
func isNamed(x ast.Expr, names ...string) bool {
	if selector, ok := x.(*ast.SelectorExpr); ok {
		x = selector.Sel
	}
	id, ok := x.(*ast.Ident)
	return ok && slices.Contains(names, id.Name)
}

// swap adds the mutant with another operator, if the operator has a replacement.
func (f *finder) swap(at token.Pos, operator token.Token) {
	if other, ok := swapped[operator]; ok {
		f.add(at, at+token.Pos(len(operator.String())), other.String())
	}
}

// negate adds the mutant with a negated condition, unless swapping its comparison has the
// same effect.
func (f *finder) negate(condition ast.Expr) {
	if condition == nil {
		return
	}
	if b, ok := condition.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return
	}
	from, to := f.offset(condition.Pos()), f.offset(condition.End())
	f.add(condition.Pos(), condition.End(), "!("+f.source[from:to]+")")
}

// drop adds one mutant for each call and each assignment among the statements: the code
// without it.
func (f *finder) drop(statements []ast.Stmt) {
	for _, s := range statements {
		assignment, ok := s.(*ast.AssignStmt)
		if _, call := s.(*ast.ExprStmt); call || ok && assignment.Tok != token.DEFINE {
			f.add(s.Pos(), s.End(), "")
		}
	}
}

func (f *finder) offset(p token.Pos) int { return f.set.Position(p).Offset }

// add adds the mutant in which text replaces everything between two positions.
func (f *finder) add(from, to token.Pos, text string) {
	m := mutant{line: f.set.Position(from).Line, start: f.offset(from), end: f.offset(to), text: text}
	first := strings.LastIndexByte(f.source[:m.start], '\n') + 1
	last := m.end + strings.IndexByte(f.source[m.end:]+"\n", '\n')
	m.path, m.function = f.path, f.function
	m.old = oneLine(f.source[first:last])
	m.new = oneLine(f.source[first:m.start] + text + f.source[m.end:last])
	if m.new == "" {
		m.new = "(dropped)"
	}
	for _, other := range f.found {
		if other.function == m.function && other.old == m.old && other.new == m.new {
			m.nth++
		}
	}
	f.found = append(f.found, m)
}

// oneLine joins the lines of a text without comments and indentation.
func oneLine(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line, _, _ = strings.Cut(line, " // ")
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, " ")
}

// shuffle sorts mutants in an order given by a seed. The relative order of two mutants
// depends only on the seed and their identities; an edit elsewhere does not change the
// draw.
func shuffle(all []mutant, seed uint64) {
	key := func(m mutant) uint64 {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %q", seed, []any{m.identity}))
		return binary.BigEndian.Uint64(sum[:])
	}
	slices.SortFunc(all, func(a, b mutant) int {
		if x, y := key(a), key(b); x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return strings.Compare(a.String(), b.String())
	})
}
