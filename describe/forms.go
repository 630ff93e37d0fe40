package describe

import (
	"context"
	"io"

	"foretell/document"
	"foretell/figure"
)

// Forms returns the forms of a process. A picture (.svg) or a Graphviz graph (.dot) shows
// the drawing named by the parameter what (see [Drawings]); an empty name means the
// picture that fits best, or in a .dot file the states. A table (.csv) holds the
// transitions, or the sequences of a process without states. A page (.html) or a JSON
// value (.json) holds everything known about the process. They return the errors of
// [Draw] and [Process].
func (s Subject) Forms(ctx context.Context, what string) document.Forms {
	return document.Forms{
		".svg": document.Picture(func() (*figure.Figure, error) { return Draw(ctx, s, what) }),
		".dot": func(w io.Writer) error { return s.writeDOT(ctx, w, what) },
		".csv": document.CSV(func() (document.Frame, error) { return s.transitions(ctx) }),
		".html": document.Page(func() (page document.Document, err error) {
			d, err := Process(ctx, s)
			if err != nil {
				return page, err
			}
			return d.page(ctx, s)
		}),
		".json": func(w io.Writer) error {
			d, err := Process(ctx, s)
			if err != nil {
				return err
			}
			return document.JSON(d)(w)
		},
	}
}

func (s Subject) writeDOT(ctx context.Context, w io.Writer, what string) error {
	if what == "" {
		what = DrawStates
	}
	p, err := s.Optimum()
	if err != nil {
		return err
	}
	g, err := GraphOf(ctx, p, what)
	if err != nil {
		return err
	}
	return g.DOT(w)
}
