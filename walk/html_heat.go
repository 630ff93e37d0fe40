package walk

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
)

// mostHeat is the largest number of matrix entries that a page contains, in addition to
// mostBehind, for the values of heat maps that are shown without sums. Matrices beyond
// that limit are shown only by their shape and norm.
const mostHeat = 50_000

// heatSteps is the number of colours on each side of 0.
const heatSteps = 48

// heatPalette holds the colours of a heat map: index 0 is transparent, for the −∞ of a
// mask; then come orange for negative values, near-white for 0 and blue for positive
// ones, on the light and the dark page alike.
var heatPalette = func() color.Palette {
	const near = 0xf2 // the value of each channel in the colour of 0
	mix := func(end, share float64) uint8 { return uint8(math.Round(near + (end-near)*share)) }
	list := color.Palette{color.NRGBA{}}
	for k := -heatSteps; k <= heatSteps; k++ {
		share := math.Abs(float64(k)) / heatSteps
		end := [3]float64{0x0a, 0x5c, 0xad}
		if k < 0 {
			end = [3]float64{0xa3, 0x4a, 0x00}
		}
		list = append(list, color.NRGBA{mix(end[0], share), mix(end[1], share), mix(end[2], share), 255})
	}
	return list
}()

// magnitude returns the largest finite magnitude of a matrix, or 1 if all entries are 0.
func magnitude(m Matrix) float64 {
	most := 0.0
	for _, x := range m.Data {
		if !math.IsInf(x, 0) {
			most = max(most, math.Abs(x))
		}
	}
	if most == 0 {
		return 1
	}
	return most
}

// heatPicture returns a matrix as a PNG with one pixel for each entry. The colours cover
// the values from −most to most.
func heatPicture(m Matrix, most float64) []byte {
	picture := image.NewPaletted(image.Rect(0, 0, m.Columns, m.Rows), heatPalette)
	for i, x := range m.Data {
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			picture.Pix[i] = uint8(1 + heatSteps + int(math.Round(heatSteps*x/most)))
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		panic("walk: " + err.Error()) // writing to a buffer cannot fail
	}
	return b.Bytes()
}

// heatMap returns a result as a heat map. The argument equation is the index of the
// result's equation in the page's data, with which the page's script explains the cells.
func heatMap(symbol string, m shown, digits, equation int) template.HTML {
	most := magnitude(m.Matrix)
	number := func(x float64) string { return strings.ReplaceAll(decimal(x, digits), "-", "−") }
	legend := fmt.Sprintf("%d×%d: orange is %s, white is 0, blue is %s", m.Rows, m.Columns, number(-most), number(most))
	if m.weights {
		legend = fmt.Sprintf("%d×%d: white is 0, blue is %s", m.Rows, m.Columns, number(most))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<figure class="heat"><div data-e="%d" data-rows="%d" data-columns="%d" role="group" `+
		`aria-label="Heat map of %s" style="--r:%d;--c:%d">`,
		equation, m.Rows, m.Columns, html.EscapeString(symbol), m.Rows, m.Columns)
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" preserveAspectRatio="none" aria-hidden="true">`+
		`<image width="%d" height="%d" preserveAspectRatio="none" href="data:image/png;base64,%s"/></svg>`,
		m.Columns, m.Rows, m.Columns, m.Rows, base64.StdEncoding.EncodeToString(heatPicture(m.Matrix, most)))
	b.WriteString("</div><figcaption>" + legend + "</figcaption></figure>")
	return template.HTML(b.String())
}
