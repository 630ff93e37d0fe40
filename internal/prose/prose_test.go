package prose

import (
	"slices"
	"testing"
)

// Comments and strings are found with their lines, sums of strings as one text, and
// quotations are not.
func TestOfGo(t *testing.T) {
	const source = `// Package p is short.
package p

import "fmt"

// f prints, as [fmt.Println] does:
//
//	f(1)
func f(n int) { fmt.Println("it says “a, " + "b” and", "c") }
`
	texts, err := ofGo("p.go", []byte(source))
	want := []Text{
		{"p.go", 1, Comment, "Package p is short.", "Package p is short."},
		{"p.go", 6, Comment, "f prints, as [fmt.Println] does: f(1)", "prints, as ; does: ;"},
		{"p.go", 9, Message, "it says “a, b” and", "it says   and"},
		{"p.go", 9, Message, "c", "c"},
	}
	if err != nil || !slices.Equal(texts, want) {
		t.Errorf("%+v, %v", texts, err)
	}
}

// Code is no prose: neither blocks nor what backticks enclose.
func TestOfMarkdown(t *testing.T) {
	texts, err := ofMarkdown("a.md", []byte("# Title\n\n    code\n\n```\nmore\n```\nsee `x y` there\n"))
	want := []Text{{"a.md", 1, Document, "# Title", "# Title"}, {"a.md", 8, Document, "see `x y` there", "see   there"}}
	if err != nil || !slices.Equal(texts, want) {
		t.Errorf("%+v, %v", texts, err)
	}
}
