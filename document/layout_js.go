package document

import (
	"errors"
	"io"
)

// Layout writes no pages in a browser.
type Layout struct{}

// NewLayout returns a layout that writes nothing.
func NewLayout(string, string) Layout { return Layout{} }

// Write returns an error. Templates call methods by name, so that no method of the
// program could be left out of the engine of a page, which would be twice as large.
func (Layout) Write(io.Writer, any) error {
	return errors.New("a page without a server writes no other page; save this one, or use the command")
}
