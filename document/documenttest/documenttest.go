// Package documenttest checks what is written about something found. The tests of every
// package that writes answers use it. It does not import package document, whose own
// tests use it too.
package documenttest

import (
	"bytes"
	"io"
	"regexp"
	"testing"

	"foretell/figure"
)

// Forms are the forms of an answer, as package document has them.
type Forms interface {
	Write(w io.Writer, ending string) error
}

// Written returns an answer in the form with an extension, such as .csv.
func Written(forms Forms, ending string) ([]byte, error) {
	var b bytes.Buffer
	err := forms.Write(&b, ending)
	return b.Bytes(), err
}

// SVG draws a figure. The test ends if err is not nil or the figure cannot be drawn.
func SVG(t *testing.T, f *figure.Figure, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	// namespaces are addresses that nothing loads.
	namespaces = regexp.MustCompile(`xmlns="http://www\.w3\.org/(2000/svg|1998/Math/MathML)"`)

	// loads is what a page that is one file may not have. It skips what quotes contain.
	loads = regexp.MustCompile(`https?://|@import|url\(|<(img|link|iframe|object|embed)\b|<\w(?:[^"<>]|"[^"]*")*\ssrc=`)
)

// Offline tests that a page loads nothing.
func Offline(t *testing.T, page []byte) {
	t.Helper()
	if at := loading(page); at != nil {
		t.Errorf("the page may load something: %q", at)
	}
}

// loading returns the first part of a page that may load something, or nil.
func loading(page []byte) []byte { return loads.Find(namespaces.ReplaceAll(page, nil)) }
