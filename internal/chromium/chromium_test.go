package chromium

import (
	"bytes"
	"context"
	"errors"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"foretell/internal/needs"
)

// drawing is a figure of two halves, red and blue, with more elements.
func drawing(width, height, more string) []byte {
	return []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="` + width + `" height="` + height + `" ` +
		`viewBox="0 0 200 100" preserveAspectRatio="none"><rect width="100" height="100" fill="#ff0000"/>` +
		`<rect x="100" width="100" height="100" fill="#0000ff"/>` + more + `</svg>`)
}

// A PNG is as wide as a slide, and the figure fills it to its edges, whatever its shape.
func TestPNG(t *testing.T) {
	needs.Program(t, "chromium", "chromium")
	for _, c := range []struct {
		width, height string
		pixels        int
	}{{"200pt", "100pt", 960}, {"640pt", "20pt", 60}, {"100pt", "300pt", 5760}} {
		data, err := Render(t.Context(), drawing(c.width, c.height, ""), "", ".png")
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if size := picture.Bounds().Size(); size.X != PNGWidth || size.Y != c.pixels {
			t.Fatalf("%s × %s: %v, want %d × %d pixels", c.width, c.height, size, PNGWidth, c.pixels)
		}
		red, blue := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}
		for _, p := range []struct {
			x, y int
			want color.RGBA
		}{{0, 0, red}, {0, c.pixels - 1, red}, {950, 30, red}, {970, 30, blue}, {PNGWidth - 1, c.pixels - 1, blue}} {
			if got := color.RGBAModel.Convert(picture.At(p.x, p.y)); got != p.want {
				t.Errorf("%s × %s: pixel (%d, %d) is %v, want %v", c.width, c.height, p.x, p.y, got, p.want)
			}
		}
	}
}

var mediaBox = regexp.MustCompile(`/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]`)

// A PDF is one page of the figure's size, and the same figure gives the same bytes.
func TestPDF(t *testing.T) {
	needs.Program(t, "chromium", "chromium")
	var files [2][]byte
	for i := range files {
		var err error
		if files[i], err = Render(t.Context(), drawing("360pt", "90.5pt", ""), "", ".pdf"); err != nil {
			t.Fatal(err)
		}
	}
	boxes := mediaBox.FindAllSubmatch(files[0], -1)
	if !bytes.HasPrefix(files[0], []byte("%PDF-")) || len(boxes) != 1 {
		t.Fatalf("%d pages in %.20q…", len(boxes), files[0])
	}
	for i, want := range []float64{360, 90.5} {
		if got, err := strconv.ParseFloat(string(boxes[0][i+1]), 64); err != nil || got < want-1 || got > want+1 {
			t.Errorf("the page is %s", boxes[0][0])
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("a second rendering differs")
	}
}

// A figure makes no request, even if it names a picture on this machine.
func TestNoRequestLeaves(t *testing.T) {
	needs.Program(t, "chromium", "chromium")
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer server.Close()
	more := `<image href="` + server.URL + `/x.png" width="9" height="9"/><style>@import url("` + server.URL + `/x.css");</style>` +
		`<script>fetch("` + server.URL + `/x")</script>`
	if _, err := Render(t.Context(), drawing("200pt", "100pt", more), "", ".png"); err != nil {
		t.Fatal(err)
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// Without Chromium the error says what to install.
func TestMissing(t *testing.T) {
	t.Setenv("PATH", "")
	if _, err := Render(t.Context(), drawing("200pt", "100pt", ""), "", ".png"); !errors.Is(err, ErrMissing) ||
		err.Error() != "to write .png or .pdf install Chromium (Debian: apt install chromium), or write .svg" {
		t.Error(err)
	}
}

// What cannot be rendered is an error before the browser starts; so is a context that has
// ended.
func TestRefused(t *testing.T) {
	needs.Program(t, "chromium", "chromium")
	for want, svg := range map[string][]byte{
		"the figure is not an SVG":               []byte("<html/>"),
		`the figure's size is "9", want`:         drawing("9", "9pt", ""),
		"at most 8 times as high as wide, write": drawing("9pt", "99pt", ""),
	} {
		if _, err := Render(t.Context(), svg, "", ".png"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Render(ctx, drawing("200pt", "100pt", ""), "", ".pdf"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
