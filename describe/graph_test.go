package describe

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"foretell/document/documenttest"
)

// In the picture of rrxor's 36 beliefs no arrow crosses a label: labels are within the
// discs, and an arrow meets only the discs at its ends.
func TestBeliefsOfRRXORAreLegible(t *testing.T) {
	f, err := Draw(t.Context(), mustNamed(t, "rrxor", nil), DrawBeliefs)
	picture := documenttest.SVG(t, f, err)
	numbers := func(list []string) (values []float64) {
		for _, text := range list {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, x)
		}
		return values
	}
	var discs [][]float64 // x, y, radius
	for _, m := range regexp.MustCompile(`<circle cx="(\S+)" cy="(\S+)" r="(\S+)"`).FindAllStringSubmatch(picture, -1) {
		discs = append(discs, numbers(m[1:]))
	}
	curve := regexp.MustCompile(`d="M(\S+?),(\S+?)Q(\S+?),(\S+?) (\S+?),(\S+?)"`)
	arrows := curve.FindAllStringSubmatch(picture, -1)
	if len(discs) != 36 || len(arrows) < 60 {
		t.Fatalf("%d discs, %d arrows", len(discs), len(arrows))
	}
	for _, m := range arrows {
		p := numbers(m[1:])
		touched := map[int]bool{}
		for step := range 201 {
			u := float64(step) / 200
			x := (1-u)*(1-u)*p[0] + 2*u*(1-u)*p[2] + u*u*p[4]
			y := (1-u)*(1-u)*p[1] + 2*u*(1-u)*p[3] + u*u*p[5]
			for i, d := range discs {
				if math.Hypot(x-d[0], y-d[1]) < d[2] {
					touched[i] = true
				}
			}
		}
		if len(touched) > 0 {
			t.Errorf("the arrow %s crosses %d discs", m[0], len(touched))
		}
	}
	if n := strings.Count(picture, "<text"); n > 36+8 { // heading, notes and legend
		t.Errorf("%d texts: labels at arrows", n)
	}
}
