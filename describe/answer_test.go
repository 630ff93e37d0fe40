package describe

import (
	"foretell/document"
)

// pageOf returns a document as a page, unless err is not nil.
func pageOf(d document.Document, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return d.HTML()
}
