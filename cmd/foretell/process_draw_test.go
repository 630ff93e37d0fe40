package main

import (
	"regexp"
	"strings"
	"testing"

	"foretell/describe"
	"foretell/process"
)

// noNumber finds NaN as a number; pictures in base64 may hold its letters.
var noNumber = regexp.MustCompile(`[" ,]NaN`)

// Every process is drawn in every way, or one line says why not.
func TestEveryProcessIsDrawn(t *testing.T) {
	for _, entry := range process.Catalogue() {
		for _, graph := range describe.Drawings() {
			status, stdout, stderr := call(t, "process", "show", entry.Name, "--format", "svg", "--graph", graph)
			drawn := status == 0 && strings.HasPrefix(stdout, "<svg") && !noNumber.MatchString(stdout)
			refused := status == 1 && stdout == "" && strings.Count(stderr, "\n") == 1
			if !drawn && !refused {
				t.Errorf("%s, %s: status %d, %.80q, %q", entry.Name, graph, status, stdout, stderr)
			}
		}
	}
}
