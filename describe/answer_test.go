package describe

import (
	"bytes"
	"testing"

	"foretell/document"
	"foretell/figure"
)

// written returns an answer in one of its forms.
func written(forms document.Forms, ending string) ([]byte, error) {
	var b bytes.Buffer
	err := forms.Write(&b, ending)
	return b.Bytes(), err
}

// pageOf returns a document as a page, unless err is not nil.
func pageOf(d document.Document, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return d.HTML()
}

// svg is a figure, which must be one.
func svg(t *testing.T, f *figure.Figure, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
