package figure_test

import (
	"slices"
	"strings"
	"testing"

	"foretell/describe"
	"foretell/figure"
	"foretell/process"
)

const largestPicture = 400_000 // bytes

// The floor and the picture of every process of the catalogue can be read: they say what
// they are of, with its parameters, name their axes, and no text lies over another.
func TestPicturesOfTheCatalogue(t *testing.T) {
	for _, entry := range process.Catalogue() {
		t.Run(entry.Name, func(t *testing.T) {
			s, err := describe.Named(entry.Name, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Optimum(); err != nil {
				return // a recording has no floor
			}
			picture, err := describe.Picture(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			floors, err := describe.Floor(t.Context(), s, 8)
			if err != nil {
				t.Fatal(err)
			}
			for what, f := range map[string]*figure.Figure{"picture": picture, "floor": floors.Figure()} {
				doc, texts := figure.CheckDocument(t, f)
				if len(doc) > largestPicture {
					t.Errorf("%s: %d bytes, over %d", what, len(doc), largestPicture)
				}
				checkHeading(t, what, s, texts)
				checkAxes(t, what, f)
			}
		})
	}
}

// checkHeading demands the process's name and each parameter's in the visible texts.
func checkHeading(t *testing.T, what string, s describe.Subject, texts []string) {
	t.Helper()
	all := strings.Join(texts, " ")
	if !strings.HasPrefix(texts[0], s.Process.Name()+": ") {
		t.Errorf("%s: begins with %q", what, texts[0])
	}
	for _, p := range s.Entry.Params {
		if !strings.Contains(all, p.Name+" = ") {
			t.Errorf("%s: does not say what %s is", what, p.Name)
		}
	}
}

// checkAxes demands a name for each axis of each panel.
func checkAxes(t *testing.T, what string, f *figure.Figure) {
	t.Helper()
	for _, panel := range slices.Concat(f.Panels...) {
		named := true
		switch p := panel.(type) {
		case figure.Chart:
			named = p.X.Label != "" && p.Y.Label != ""
		case figure.Plane:
			named = p.X != "" && p.Y != ""
		case figure.HeatMap:
			named = p.X != "" && p.Label != ""
		}
		if !named {
			t.Errorf("%s: an axis of %T has no name", what, panel)
		}
	}
}

// A chain of states is drawn round a circle, not along a line as wide as it is long.
func TestAChainOfStatesIsACircle(t *testing.T) {
	s, err := describe.Named("sine", nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := describe.Draw(t.Context(), s, describe.DrawStates)
	if err != nil {
		t.Fatal(err)
	}
	if f.Width > 600 {
		t.Errorf("%g points wide", f.Width)
	}
	figure.CheckDocument(t, f)
}
