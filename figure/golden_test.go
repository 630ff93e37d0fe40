package figure

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"path/filepath"
	"regexp"
	"testing"

	"foretell/internal/golden"
)

// TestGolden compares every figure of the gallery with testdata: its markup byte by
// byte, and its pictures by their pixels, which another version of the PNG
// encoder may pack differently.
func TestGolden(t *testing.T) {
	for _, e := range gallery() {
		t.Run(e.name, func(t *testing.T) {
			got := drawn()[e.name]
			path := filepath.Join("testdata", e.name+".svg")
			want := golden.Read(t, path, got)
			gotMarkup, gotPictures := split(t, got)
			wantMarkup, wantPictures := split(t, want)
			if !bytes.Equal(gotMarkup, wantMarkup) {
				t.Errorf("markup differs from %s; look at the figure, and run with -update if it is right", path)
			}
			if len(gotPictures) != len(wantPictures) {
				t.Fatalf("%d pictures, want %d", len(gotPictures), len(wantPictures))
			}
			for i := range gotPictures {
				if d := difference(gotPictures[i], wantPictures[i]); d > 1e-3 {
					t.Errorf("picture %d differs by %.4f of full scale", i, d)
				}
			}
		})
	}
}

var dataURI = regexp.MustCompile(`data:image/png;base64,([A-Za-z0-9+/=]+)`)

// split takes the pictures out of a document.
func split(t *testing.T, doc []byte) (markup []byte, pictures []image.Image) {
	t.Helper()
	for _, m := range dataURI.FindAllSubmatch(doc, -1) {
		raw, err := base64.StdEncoding.DecodeString(string(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		pictures = append(pictures, img)
	}
	return dataURI.ReplaceAll(doc, nil), pictures
}

// difference is the mean difference of two pictures, in shares of full scale.
func difference(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	sum, r := 0.0, a.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			ar, ag, ab, aa := a.At(x, y).RGBA()
			br, bg, bb, ba := b.At(x, y).RGBA()
			for _, d := range [][2]uint32{{ar, br}, {ag, bg}, {ab, bb}, {aa, ba}} {
				sum += float64(max(d[0], d[1])-min(d[0], d[1])) / 65535
			}
		}
	}
	return sum / float64(4*r.Dx()*r.Dy())
}
