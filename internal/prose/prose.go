// Package prose finds the sentences of the repository: comments, strings and documents.
// A test refuses idioms in them, and internal/prose/draw draws some at random to be read.
package prose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"foretell/internal/limit"
)

// Text is a comment, a string or a line of a document.
type Text struct {
	Path  string // path from the root, with slashes
	Line  int
	Kind  Kind
	Whole string // the text on one line
	Words string // the same without quotations, code and the name that a comment documents
}

// Kind says where a text is from.
type Kind string

// The kinds.
const (
	Comment  Kind = "comment"
	Message  Kind = "message" // a string of a program
	Document Kind = "document"
)

// mostBytes is the largest size of a source file in bytes.
const mostBytes = 1 << 24

// Tree returns the texts of all Go and Markdown files below a folder, in the order of
// their paths. Tests and testdata are left out, and so is docs/log.md, a record.
func Tree(root string) (texts []Text, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == "testdata" || len(name) > 1 && strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		read := ofGo
		switch {
		case strings.HasSuffix(name, "_test.go"), name == "docs/log.md":
			return nil
		case strings.HasSuffix(name, ".md"):
			read = ofMarkdown
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		source, err := limit.ReadFile(path, "a source file", mostBytes)
		if err != nil {
			return err
		}
		found, err := read(name, source)
		texts = append(texts, found...)
		return err
	})
	return texts, err
}

// quotation is someone else's words, in typographic quotation marks. Without a closing
// mark it runs to the end of the text.
var quotation = regexp.MustCompile(`“[^”]*(?:”|$)`)

// ofGo returns the comments and strings of a Go file. Strings joined by + are one text,
// so a quotation can continue from one to the next; a value between them becomes a space.
func ofGo(path string, source []byte) (texts []Text, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	add := func(at token.Pos, kind Kind, whole, words string) {
		words = quotation.ReplaceAllString(oneLine(words), " ")
		texts = append(texts, Text{path, set.Position(at).Line, kind, oneLine(whole), words})
	}
	names := documented(file)
	for _, group := range file.Comments {
		words := strings.TrimPrefix(group.Text(), names[group])
		add(group.Pos(), Comment, group.Text(), notWords.ReplaceAllString(words, " ; "))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BinaryExpr:
			if n.Op != token.ADD {
				return true
			}
			if text, ok := sum(n); ok {
				add(n.Pos(), Message, text, text)
				return false
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				add(n.Pos(), Message, unquoted(n), unquoted(n))
			}
		}
		return true
	})
	return texts, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// notWords matches what is not prose in a comment: indented lines, which are code, and
// links, which are identifiers.
var notWords = regexp.MustCompile(`(?m)^\t.*$|\[[\w./*]+\]`)

// documented returns, for each doc comment, the name that it documents.
func documented(file *ast.File) map[*ast.CommentGroup]string {
	names := map[*ast.CommentGroup]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names[n.Doc] = n.Name.Name
		case *ast.GenDecl:
			if len(n.Specs) == 1 {
				names[n.Doc] = specified(n.Specs[0])
			}
		case ast.Spec:
			if doc := specDoc(n); doc != nil {
				names[doc] = specified(n)
			}
		case *ast.Field:
			if len(n.Names) > 0 {
				names[n.Doc] = n.Names[0].Name
			}
		}
		return true
	})
	return names
}

// specified returns the name that a specification declares. If it declares several names,
// it returns the first.
func specified(s ast.Spec) string {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return s.Name.Name
	case *ast.ValueSpec:
		return s.Names[0].Name
	}
	return ""
}

func specDoc(s ast.Spec) *ast.CommentGroup {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return s.Doc
	case *ast.ValueSpec:
		return s.Doc
	}
	return nil
}

// sum returns the text of an expression that joins strings by +. ok is false if the
// expression contains no string.
func sum(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		left, one := sum(e.X)
		right, other := sum(e.Y)
		return left + right, one || other
	case *ast.BasicLit:
		return unquoted(e), e.Kind == token.STRING
	}
	return " ", false
}

// unquoted returns the value of a literal.
func unquoted(literal *ast.BasicLit) string {
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return literal.Value
	}
	return text
}

// code is preformatted text within a line.
var code = regexp.MustCompile("`[^`]*`")

// ofMarkdown returns the lines of prose of a Markdown file.
func ofMarkdown(path string, source []byte) (texts []Text, err error) {
	fenced := false
	for i, line := range strings.Split(string(source), "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if fenced || strings.HasPrefix(line, "    ") || strings.TrimSpace(line) == "" {
			continue
		}
		words := quotation.ReplaceAllString(code.ReplaceAllString(line, " "), " ")
		texts = append(texts, Text{path, i + 1, Document, line, words})
	}
	return texts, nil
}
