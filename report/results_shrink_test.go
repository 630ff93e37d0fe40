package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
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

// picture is an SVG with a picture of one colour per pixel, which compresses badly.
func picture(t *testing.T, size int) string {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	bits := uint32(1)
	for i := range size * size {
		bits ^= bits << 13
		bits ^= bits >> 17
		bits ^= bits << 5
		v := uint8(bits)
		img.SetNRGBA(i%size, i/size, color.NRGBA{v, v ^ 90, v ^ 200, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString(b.Bytes())
	return fmt.Sprintf(`<image width="9" height="9" href="data:image/png;base64,%s"/>`+"\n", data)
}

// Pictures lose resolution as far as it is necessary.
func TestShrinkPictures(t *testing.T) {
	svg := picture(t, 60)
	for factor, most := range map[int]int{1: len(svg), 2: len(svg) / 3, 3: len(svg) / 8, 4: 10} {
		small := shrink([]byte(svg), most)
		_, rest, _ := strings.Cut(string(small), "base64,")
		data, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(rest, "\"/>\n"))
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil || img.Bounds().Dx() != 60/factor {
			t.Errorf("at most %d bytes: %v, %v, want a width of %d", most, img.Bounds(), err, 60/factor)
		}
	}
}

// A picture of at most 256 colours has a palette of them, and the same pixels.
func TestWithPalette(t *testing.T) {
	for _, colours := range []int{1, 256, 257} {
		img := image.NewNRGBA(image.Rect(0, 0, 30, 20))
		for i := range 600 {
			c := i % colours
			img.SetNRGBA(i%30, i/30, color.NRGBA{uint8(c), uint8(c / 256), 0, 255 - 17*uint8(c%2)})
		}
		got := withPalette(img)
		if _, small := got.(*image.Paletted); small != (colours <= 256) {
			t.Errorf("%d colours give a %T", colours, got)
		}
		for i := range 600 {
			if c := got.At(i%30, i/30); c != img.At(i%30, i/30) {
				t.Fatalf("%d colours: pixel %d is %v, want %v", colours, i, c, img.At(i%30, i/30))
			}
		}
	}
}

// A pixel's colour is the mean by opacity: a transparent pixel has no colour.
func TestMeanOfPixels(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	if got := mean(img, img.Rect); got != (color.NRGBA{}) {
		t.Errorf("nothing: %v", got)
	}
	img.SetNRGBA(0, 0, color.NRGBA{255, 0, 0, 255})
	img.SetNRGBA(1, 0, color.NRGBA{0, 0, 255, 255})
	if got, want := mean(img, img.Rect), (color.NRGBA{123, 0, 123, 119}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := mean(img, image.Rect(0, 0, 1, 1)), (color.NRGBA{255, 0, 0, 255}); got != want {
		t.Errorf("%v, want %v", got, want)
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
