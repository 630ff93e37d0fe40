package main

import (
	"strings"
	"testing"

	"foretell/paper"
)

// TestPapersAreNamed holds that the help says what each paper is, and that the short
// name by which a row cites its document is explained by the paper's source.
func TestPapersAreNamed(t *testing.T) {
	help := mustCall(t, "reproduce", "--help")
	for _, p := range paper.Papers {
		if !strings.Contains(help, p.Name+": "+p.Title+"\n") || !strings.Contains(help, p.Source) {
			t.Errorf("the help does not say what %s is", p.Name)
		}
		for _, row := range p.Rows {
			if name, _, _ := strings.Cut(row.Source, ","); strings.HasPrefix(name, "seed ") && !strings.HasPrefix(p.Source, name[:len("seed 000")]+", ") {
				t.Errorf("%s cites %s, and the paper's source is %q", row.ID, name, p.Source)
			}
		}
	}
}
