package describe

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"foretell/document"
	"foretell/internal/terminal"
	"foretell/process"
)

// The summary of any process of the catalogue, and that of a file's, has at most 15 lines
// on 80 columns, with its name, chance and how to see the rest.
func TestSummariesAreShort(t *testing.T) {
	const mostLines, width = 15, 80
	for _, e := range process.Catalogue() {
		if testing.Short() && (e.Name == "factored" || e.Name == "mixture") {
			continue // which take a second or two
		}
		s := mustNamed(t, e.Name, nil)
		s.Flags.All = "--all"
		d, err := Process(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		var text, shown strings.Builder
		_ = document.Text(d.summary)(&text)
		if err := terminal.Write(&shown, text.String(), terminal.Style{Gap: 2, Width: width}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(shown.String(), "\n"), "\n")
		wide := slices.ContainsFunc(lines, func(l string) bool { return utf8.RuneCountInString(l) > width })
		if len(lines) > mostLines || wide {
			t.Errorf("%s: %d lines, or a wide one:\n%s", e.Name, len(lines), shown.String())
		}
		for _, want := range []string{e.Name + ": ", "token", "(chance)", "--all shows "} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: no %q in\n%s", e.Name, want, text.String())
			}
		}
	}
}

// A number is shown to the digits that are known.
func TestRough(t *testing.T) {
	for _, c := range []struct {
		x, half float64
		want    string
	}{
		{1.0888883, 0, "1.088888"},
		{1.0888883, 4e-7, "1.088888"},
		{1.0888883, 4e-6, "1.08889"},
		{1.0888883, 4e-4, "1.089"},
		{1.5552, 4e-3, "1.555 ± 0.004"},
		{0.61, 0.04, "0.61 ± 0.04"},
	} {
		if got := rough(c.x, c.half); got != c.want {
			t.Errorf("%g ± %g: %s, want %s", c.x, c.half, got, c.want)
		}
	}
}
