package main

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"foretell/process"
)

// noNumber finds NaN as a number; pictures in base64 may hold its letters.
var noNumber = regexp.MustCompile(`[" ,]NaN`)

// Every process is drawn in every way, or one line says why not.
func TestEveryProcessIsDrawn(t *testing.T) {
	for _, entry := range process.Catalogue() {
		for _, graph := range graphs {
			status, stdout, stderr := call(t, "process", "show", entry.Name, "--format", "svg", "--graph", graph)
			drawn := status == 0 && strings.HasPrefix(stdout, "<svg") && !noNumber.MatchString(stdout)
			refused := status == 1 && stdout == "" && strings.Count(stderr, "\n") == 1
			if !drawn && !refused {
				t.Errorf("%s, %s: status %d, %.80q, %q", entry.Name, graph, status, stdout, stderr)
			}
		}
	}
}

// The heads that `process show` prints attend to the past alone, with weights that sum
// to one.
func TestPredictedAttention(t *testing.T) {
	for _, args := range []string{"mess3", "mess3 --param x=0.5", "even", "moon", "z1r"} {
		var shown struct {
			Tokens, States []string
			Spectrum       attended
		}
		decode(t, mustCall(t, append([]string{"process", "show", "--json"}, strings.Fields(args)...)...), &shown)
		if len(shown.Spectrum.Predicted) != shown.Spectrum.Heads.Belief {
			t.Errorf("%s: %d heads, want %d", args, len(shown.Spectrum.Predicted), shown.Spectrum.Heads.Belief)
		}
		for _, head := range shown.Spectrum.Predicted {
			for d, row := range head.Pattern {
				sum := 0.0
				for s, a := range row {
					sum += a
					if a < 0 || s > d && a != 0 {
						t.Errorf("%s: attention from %d to %d is %g", args, d, s, a)
					}
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Errorf("%s: attention from %d sums to %g", args, d, sum)
				}
			}
			if len(head.OV) != attendedPositions || len(head.OV[0]) != len(shown.Tokens) || len(head.OV[0][0]) != len(shown.States) {
				t.Errorf("%s: OV vectors of %d positions, %d tokens, %d states", args, len(head.OV), len(head.OV[0]), len(head.OV[0][0]))
			}
		}
	}
}
