package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/figure"
)

// many is a chart of n points of two series, in discs and squares, with a line through
// the discs.
func many(t *testing.T, n int) []byte {
	t.Helper()
	line, marks := figure.Series{Name: "a", Style: figure.Curve}, figure.Series{Name: "b", Color: 2, Style: figure.Scatter}
	discs := figure.Series{Name: "c", Color: 1, Style: figure.Scatter}
	for i := range n {
		x, y := float64(i), math.Sin(float64(i)*math.Sqrt2)
		line.X, line.Y = append(line.X, x), append(line.Y, math.Sin(x/20))
		marks.X, marks.Y = append(marks.X, x), append(marks.Y, -y)
		discs.X, discs.Y = append(discs.X, x), append(discs.Y, y)
	}
	svg, err := figure.Single("Many points", "Points.", figure.Chart{Series: []figure.Series{line, marks, discs}}).SVG()
	if err != nil {
		t.Fatal(err)
	}
	return svg
}

// starts returns the points at which the subpaths of all paths and discs of an SVG begin,
// in tenths of a point, sorted.
func starts(t *testing.T, svg string) (points [][2]int) {
	t.Helper()
	for _, line := range strings.Split(svg, "\n") {
		if m := disc.FindStringSubmatch(line); m != nil {
			points = append(points, [2]int{tenths(m[1]), tenths(m[2])})
		}
		_, rest, isPath := strings.Cut(line, ` d="`)
		if !isPath {
			continue
		}
		d, _, _ := strings.Cut(rest, `"`)
		points = append(points, startsOf(t, d)...)
	}
	slices.SortFunc(points, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return points
}

// near reports whether each point of a list has one of another list within a distance in
// each direction.
func near(list, others [][2]int, distance int) bool {
	return !slices.ContainsFunc(list, func(p [2]int) bool {
		return !slices.ContainsFunc(others, func(q [2]int) bool {
			return max(abs(p[0]-q[0]), abs(p[1]-q[1])) <= distance
		})
	})
}

// startsOf follows path data with the commands M, L, Z, m, l, z and h0.
func startsOf(t *testing.T, d string) (points [][2]int) {
	t.Helper()
	var x, y, startX, startY int
	command := byte(0)
	for d != "" {
		if strings.IndexByte("MLmlZzh ", d[0]) >= 0 {
			if d[0] != ' ' {
				command = d[0]
			}
			d = d[1:]
			switch command {
			case 'Z', 'z':
				x, y = startX, startY
				continue
			case 'h':
				d = strings.TrimPrefix(d, "0")
				continue
			}
		}
		end := strings.IndexAny(d, "MLmlZzh ")
		if end < 0 {
			end = len(d)
		}
		first, second, ok := strings.Cut(d[:end], ",")
		if _, err := strconv.ParseFloat(first, 64); err != nil || !ok {
			t.Fatalf("path data %q", d)
		}
		dx, dy := tenths(first), tenths(second)
		if command == 'M' || command == 'L' {
			x, y = dx, dy
		} else {
			x, y = x+dx, y+dy
		}
		if command == 'M' || command == 'm' {
			startX, startY = x, y
			points = append(points, [2]int{x, y})
		}
		d = d[end:]
	}
	return points
}

// A shrunk figure has all marks where they were, to a tenth of a point.
func TestShrinkKeepsMarks(t *testing.T) {
	svg := many(t, 400)
	if same := shrink(svg, len(svg)); !bytes.Equal(same, svg) {
		t.Error("a figure that is small enough has changed")
	}
	small := shrink(svg, len(svg)-1)
	if 2*len(small) > len(svg) {
		t.Errorf("%d bytes are %d, want less than half", len(svg), len(small))
	}
	parse(t, string(small))
	got, want := starts(t, string(small)), starts(t, string(svg))
	if len(want) < 800 || len(got) < len(want)*9/10 || !near(got, want, 0) || !near(want, got, crowded) {
		t.Errorf("%d marks, want the %d of the figure at the same places", len(got), len(want))
	}
	for _, element := range []string{"<text", "<title", "<g", "</g>", "<style"} {
		if strings.Count(string(small), element) != strings.Count(string(svg), element) {
			t.Errorf("another number of %s", element)
		}
	}
}

// Marks of another look or in another group are not merged, and neither are translucent
// outlines. A mark that an equal one hides is left out.
func TestShrinkMergesEqualMarks(t *testing.T) {
	svg := `<g>
 <circle cx="1" cy="2.04" r="2.6" fill="#006eec"/>
 <circle cx="1.5" cy="1" r="2.6" fill="#006eec"/>
 <circle cx="1.1" cy="2.1" r="2.6" fill="#006eec"/>
 <circle cx="3" cy="3" r="2.6" fill="#d03000"/>
</g>
<g>
 <circle cx="3" cy="3" r="2.6" fill="#d03000"/>
 <path class="axis" d="M1,1L2,2"/>
 <path class="axis" d="M4,1L5,2"/>
 <path d="M1,1L3,1L3,3Z" fill="#2aa58d"/>
 <path class="band" d="M1,1L3,1L3,3Z" fill="#2aa58d" fill-opacity="0.22"/>
 <path class="band" d="M2,1L3,1L3,3Z" fill="#2aa58d" fill-opacity="0.22"/>
 <circle cx="3" cy="3" r="2.6" fill="none" stroke="#d03000"/>
</g>
`
	want := `<g>
<path fill="none" stroke="#006eec" stroke-width="5.2" stroke-linecap="round" d="m1,2h0m.5,-1h0"/>
<path fill="none" stroke="#d03000" stroke-width="5.2" stroke-linecap="round" d="m3,3h0"/>
</g>
<g>
<path fill="none" stroke="#d03000" stroke-width="5.2" stroke-linecap="round" d="m3,3h0"/>
<path class="axis" d="m1,1l1,1m2,-1l1,1"/>
<path fill="#2aa58d" d="m1,1l2,0 0,2z"/>
<path class="band" fill="#2aa58d" fill-opacity="0.22" d="m1,1l2,0 0,2z"/>
<path class="band" fill="#2aa58d" fill-opacity="0.22" d="m2,1l1,0 0,2z"/>
<circle cx="3" cy="3" r="2.6" fill="none" stroke="#d03000"/>
</g>
`
	if got := string(merged([]byte(svg))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The published figure is the first that is small enough, and without one the page says
// which is left out.
func TestTakeFigure(t *testing.T) {
	dir := t.TempDir()
	large := picture(t, 800)
	for name, text := range map[string]string{"A.svg": large, "B.svg": "<svg>b</svg>", "C.svg": string(many(t, 1000))} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		files         []string
		taken, coarse string
		left          string
	}{
		{files: nil},
		{files: []string{"A.svg", "B.svg"}, taken: "doc/B.svg"},
		{files: []string{"C.svg", "B.svg"}, taken: "doc/C.svg", coarse: "true"},
		{files: []string{"A.svg"}, left: fmt.Sprintf("Its figure has %d KB", (len(large)+1023)/1024)},
	} {
		x := &result{Claim: claim.Claim{Figures: test.files, Captions: test.files}}
		figures := map[string][]byte{}
		if err := x.takeFigure(dir, "doc", figures); err != nil {
			t.Fatal(err)
		}
		taken := strings.Join(x.Claim.Figures, " ")
		if taken != test.taken || len(figures) != len(x.Claim.Figures) || len(figures[taken]) > mostPublished {
			t.Errorf("%q: took %q of %d bytes, want %q", test.files, taken, len(figures[taken]), test.taken)
		}
		if taken != "" && x.Claim.Captions[0] != filepath.Base(taken) || x.Coarse != (test.coarse != "") {
			t.Errorf("%q: caption %q, coarse %v", test.files, x.Claim.Captions, x.Coarse)
		}
		m := &markdown{}
		m.published(x)
		if page := m.String(); !strings.Contains(page, test.left) || (x.LeftOut == nil) != (test.left == "") {
			t.Errorf("%q: the page says %q, want %q", test.files, page, test.left)
		}
	}
}
