// Package documenttest checks what is written about something found. The tests of every
// package that writes answers use it. It does not import package document, whose own
// tests use it too.
package documenttest

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"foretell/figure"
)

// Written returns an answer in the form with an extension, such as .csv. The forms are
// those of package document.
func Written(forms interface {
	Write(w io.Writer, ending string) error
}, ending string) ([]byte, error) {
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

	// loads is what a page that is one file may not have.
	loads = regexp.MustCompile(`https?://|@import|url\(|<(img|link|iframe|object|embed)\b|\ssrc=`)
)

// Offline tests that a page loads nothing.
func Offline(t *testing.T, page []byte) {
	t.Helper()
	if at := loads.Find(namespaces.ReplaceAll(page, nil)); at != nil {
		t.Errorf("the page may load something: %q", at)
	}
}
