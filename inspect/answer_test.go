package inspect

import (
	"bytes"

	"foretell/document"
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
