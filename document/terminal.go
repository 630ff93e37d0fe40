package document

import (
	"io"
	"slices"

	"foretell/internal/text"
)

// Text returns the form of sections for a terminal, in which a tab separates the cells of
// facts and tables and an empty line separates sections. Control characters in the texts
// are escaped. Figures with their captions and empty sections are left out.
func Text(get func() []Section) Form {
	return func(w io.Writer) error {
		written := false
		for _, s := range get() {
			if s.silent() {
				continue
			}
			if written && !s.Tight {
				text.Fprintf(w, "\n")
			}
			s.print(w)
			written = true
		}
		return nil
	}
}

// silent reports whether a terminal shows nothing of a section.
func (s Section) silent() bool { return len(s.Text)+len(s.Facts)+len(s.Tables)+len(s.Notes) == 0 }

func (s Section) print(w io.Writer) {
	lines(w, s.Text)
	for _, f := range s.Facts {
		text.Fprintf(w, "%s\t%s\n", f.Name, f.Value)
	}
	for _, t := range s.Tables {
		t.print(w)
	}
	lines(w, s.Notes)
}

func lines(w io.Writer, texts []string) {
	for _, line := range texts {
		text.Fprintf(w, "%s\n", line)
	}
}

// print writes a table with a tab between its cells. A vertical tab follows the heading
// of a column that must stay next to the following one if the table is split.
func (t Table) print(w io.Writer) {
	for j, heading := range t.Columns {
		switch {
		case slices.Contains(t.joined, j):
			text.Fprintf(w, "\v")
		case j > 0:
			text.Fprintf(w, "\t")
		}
		text.Fprintf(w, "%s", heading)
	}
	if t.Columns != nil {
		text.Fprintf(w, "\n")
	}
	for _, row := range t.Rows {
		for j, cell := range row {
			if j > 0 {
				text.Fprintf(w, "\t")
			}
			text.Fprintf(w, "%s", cell)
		}
		text.Fprintf(w, "\n")
	}
}
