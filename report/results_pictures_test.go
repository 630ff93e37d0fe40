package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"foretell/figure"
)

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
		img := fromURI(t, string(pictures.Find(small)))
		if img.Bounds().Dx() != 60/factor {
			t.Errorf("at most %d bytes: %v, want a width of %d", most, img.Bounds(), 60/factor)
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

// A heat map's cells become a picture in their place, with four pixels a cell and the
// same colours. A map with numbers, and a heat map's scale, stay as they are.
func TestShrinkHeatMaps(t *testing.T) {
	z := make([][]float64, 20)
	for i := range z {
		z[i] = make([]float64, 25)
		for j := range z[i] {
			z[i][j] = float64((7*i+3*j)%11) / 10
		}
	}
	clear(z[4]) // a row without cells
	full := figure.HeatMap{Z: z, BlankZeros: true}
	few := figure.HeatMap{Z: [][]float64{{1, 2}, {3, 4}}}
	maps := &figure.Figure{Title: "Maps", Desc: "Two maps.", Panels: [][]figure.Panel{{full}, {few}}}
	svg, err := maps.SVG()
	if err != nil {
		t.Fatal(err)
	}
	small := shrink(svg, len(svg)-1)
	parse(t, string(small))
	if 2*len(small) > len(svg) || bytes.Count(small, []byte("<image")) != 1 {
		t.Errorf("%d bytes are %d, with %d pictures", len(svg), len(small), bytes.Count(small, []byte("<image")))
	}
	if n := bytes.Count(small, []byte("<rect")); n != 1+2*64+4 {
		t.Errorf("%d rectangles are left, want the paper, two scales and four cells with numbers", n)
	}
	cells := square.FindAll(grids.Find(svg), -1)
	got := fromURI(t, string(pictures.Find(small)))
	if got.Bounds() != image.Rect(0, 0, 100, 80) {
		t.Fatalf("a picture of %v, want 100 × 80", got.Bounds())
	}
	n := 0
	for y := range 80 {
		for x := range 100 {
			i, j := y/4, x/4
			if _, _, _, a := got.At(x, y).RGBA(); (a == 0) != (z[i][j] == 0) {
				t.Fatalf("pixel %d, %d has opacity %d, and its cell the value %g", x, y, a, z[i][j])
			}
			if z[i][j] == 0 || x%4 != 0 || y%4 != 0 {
				continue
			}
			fill := []byte(hexOf(got.At(x, y)))
			if !bytes.Contains(cells[n], fill) {
				t.Fatalf("cell %d, %d is %s, want %s", i, j, fill, cells[n])
			}
			n++
		}
	}
	if n != len(cells) {
		t.Errorf("the picture has %d cells, want %d", n, len(cells))
	}
}

// fromURI decodes a picture of an SVG.
func fromURI(t *testing.T, uri string) image.Image {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(uri, scheme))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func hexOf(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// A picture of cells covers what the cells cover.
func TestPicturedIsInPlace(t *testing.T) {
	group := `<g class="cells">
 <rect x="10" y="5.25" width="2.75" height="2.75" fill="#010203"/>
 <rect x="16" y="5.25" width="2" height="2.75" fill="#040506"/>
 <rect x="10" y="7.25" width="2" height="2" fill="#070809"/>
 <rect x="12" y="7.25" width="2.75" height="2" fill="#0a0b0c"/>
</g>`
	out := string(pictured(grids.Find([]byte(group))))
	if want := `<image x="10" y="5.25" width="8.00" height="4.00" `; !strings.Contains(out, want) {
		t.Errorf("got %s, want %s", out, want)
	}
	img := fromURI(t, string(pictures.Find([]byte(out))))
	if img.Bounds() != image.Rect(0, 0, 16, 8) || hexOf(img.At(12, 3)) != "#040506" || hexOf(img.At(7, 4)) != "#0a0b0c" {
		t.Errorf("%v: %s, %s", img.Bounds(), hexOf(img.At(12, 3)), hexOf(img.At(7, 4)))
	}
	if _, _, _, a := img.At(8, 0).RGBA(); a != 0 {
		t.Error("a place without a cell is not transparent")
	}
}
