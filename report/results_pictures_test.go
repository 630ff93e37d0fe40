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
