package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
)

// palette holds the class colours: those of Okabe and Ito (2008), made for
// colour-blind readers, with the light ones darkened and the dark one lightened
// until each has a contrast of 3:1 on both papers.
var palette = []color.NRGBA{
	{0x1f, 0x78, 0xc1, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xc0, 0x5f, 0x95, 0xff}, // reddish purple
	{0xa8, 0x82, 0x00, 0xff}, // ochre
	{0x3b, 0x98, 0xb8, 0xff}, // sky
	{0x80, 0x80, 0x80, 0xff}, // grey
}

// Grey as a class colour: for what stands behind or beside the subject.
const Grey = 7

// hue returns the palette colour of class k, counted from 1 and around again.
func hue(k int) color.NRGBA { return palette[(k-1)%len(palette)] }

// linear is a colour as amounts of light, each in [0, 1].
type linear [3]float64

// vertices are the colours of the three sure states: red, green and blue of such
// lightness that they and all their mixtures can be seen on both papers.
var vertices = [3]linear{
	{0.65, 0.02, 0.02}, // red
	{0.03, 0.40, 0.03}, // green
	{0.06, 0.16, 0.80}, // blue
}

// RGB returns the colour of a probability vector over three states, as in the
// figures of Piotrowski et al. 2025: red for (1, 0, 0), green for (0, 1, 0), blue for
// (0, 0, 1) and their mixture between.
//
// The mixture is of light, Σ p_i·vertex_i, not of 8-bit values. Relative
// luminance is then linear in p and stays within that of the three vertices,
// which lies between what is needed for a contrast of 3:1 on white and on
// near-black; with pure primaries, blue would vanish on black, green on white, and the
// centre would be dark; here it is a middle grey. Components outside
// [0, 1] are clipped and the sum is brought to one, so that regressions may be
// coloured too; if nothing is left, the colour is the centre's.
func RGB(p0, p1, p2 float64) color.NRGBA {
	p := [3]float64{clip(p0), clip(p1), clip(p2)}
	sum := p[0] + p[1] + p[2]
	if sum == 0 {
		p, sum = [3]float64{1, 1, 1}, 3
	}
	var light linear
	for i, v := range vertices {
		for k := range light {
			light[k] += p[i] / sum * v[k]
		}
	}
	return light.encode()
}

func clip(x float64) float64 { return min(max(x, 0), 1) }

// encode returns the sRGB colour (IEC 61966-2-1).
func (l linear) encode() color.NRGBA {
	e := func(x float64) uint8 {
		v, equal := slices.BinarySearch(levels[:], x)
		if equal {
			v++
		}
		return uint8(v)
	}
	return color.NRGBA{e(l[0]), e(l[1]), e(l[2]), 255}
}

// levels[v] is the light from which on a component is nearer to v+1 than to v. A
// figure has millions of points, and a search takes a quarter of a power.
var levels = func() (light [255]float64) {
	for v := range light {
		light[v] = toLinear((float64(v) + 0.5) / 255)
	}
	return light
}()

// decode is the inverse of encode.
func decode(c color.NRGBA) linear {
	return linear{toLinear(float64(c.R) / 255), toLinear(float64(c.G) / 255), toLinear(float64(c.B) / 255)}
}

// toLinear returns the light of an sRGB component in [0, 1].
func toLinear(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// luminance is relative luminance as in WCAG 2.
func (l linear) luminance() float64 { return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2] }

// hex6 formats an opaque colour for SVG.
func hex6(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Colour maps, by their colours at equal steps from low to high. viridis is
// matplotlib's (CC0); blueRed is ColorBrewer's RdBu turned around. Both are safe for
// colour-blind readers.
var (
	viridis = []color.NRGBA{
		{0x44, 0x01, 0x54, 255},
		{0x48, 0x28, 0x78, 255},
		{0x3e, 0x4a, 0x89, 255},
		{0x31, 0x68, 0x8e, 255},
		{0x26, 0x82, 0x8e, 255},
		{0x1f, 0x9e, 0x89, 255},
		{0x35, 0xb7, 0x79, 255},
		{0x6d, 0xcd, 0x59, 255},
		{0xb4, 0xde, 0x2c, 255},
		{0xfd, 0xe7, 0x25, 255},
	}
	blueRed = []color.NRGBA{
		{0x21, 0x66, 0xac, 255},
		{0x43, 0x93, 0xc3, 255},
		{0x92, 0xc5, 0xde, 255},
		{0xd1, 0xe5, 0xf0, 255},
		{0xf7, 0xf7, 0xf7, 255},
		{0xfd, 0xdb, 0xc7, 255},
		{0xf4, 0xa5, 0x82, 255},
		{0xd6, 0x60, 0x4d, 255},
		{0xb2, 0x18, 0x2b, 255},
	}
)

// shade returns the colour of a map at t in [0, 1].
func shade(colours []color.NRGBA, t float64) color.NRGBA {
	at := clip(t) * float64(len(colours)-1)
	i := min(int(at), len(colours)-2)
	f := at - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round((1-f)*float64(a) + f*float64(b))) }
	a, b := colours[i], colours[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
