package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
)

// palette holds the class colours, based on the hues of Okabe and Ito (2008) for
// colour-blind readers. Each colour has a contrast of 3:1 on both backgrounds. For
// readers with normal vision, protanopia and deuteranopia the first three differ by at
// least 40 ΔE (CIE 1976), the first four by 25 and all by 15. It has no separate red and
// green of equal lightness, which some readers could not distinguish.
var palette = []color.NRGBA{
	{0x00, 0x6e, 0xec, 0xff}, // blue
	{0xd3, 0x32, 0x00, 0xff}, // vermilion
	{0x2a, 0xa5, 0x8d, 0xff}, // bluish green
	{0x9a, 0x47, 0x9a, 0xff}, // reddish purple
	{0xac, 0x92, 0x48, 0xff}, // ochre
	{0x00, 0x99, 0xd0, 0xff}, // sky
	{0x63, 0x63, 0x63, 0xff}, // grey
}

// Grey is a colour class for context that should not compete with the subject.
const Grey = 7

// hue returns the palette colour of class k, counted from 1; larger classes wrap around.
func hue(k int) color.NRGBA { return palette[(k-1)%len(palette)] }

// linear is a colour in linear light; each component is in [0, 1].
type linear [3]float64

// vertices are the colours of the three certain beliefs: vermilion, sea green and blue.
// They and all their mixtures are visible on both backgrounds. They also differ in
// lightness and, for readers with protanopia and deuteranopia, by at least 40 ΔE (CIE
// 1976), so the three stay distinct corners of a colour triangle for readers who see only
// one dimension of hue.
var vertices = [3]linear{
	decode(color.NRGBA{0xb7, 0x33, 0x00, 0xff}), // vermilion, L* = 42
	decode(color.NRGBA{0x47, 0xa4, 0x84, 0xff}), // sea green, L* = 61
	decode(color.NRGBA{0x43, 0x74, 0xec, 0xff}), // blue, L* = 52
}

// RGB returns the colour of a probability vector over three states: reddish for (1, 0,
// 0), greenish for (0, 1, 0), bluish for (0, 0, 1), as in the figures of Piotrowski et
// al. 2025, and mixtures in between. The red is vermilion and the green a lighter sea
// green, which colour-blind readers can distinguish.
//
// Mixing is done in linear light, not on 8-bit values. The relative luminance of a
// mixture is between the luminances of the three vertices, all of which have a contrast
// of at least 3:1 on white and on near-black. With pure primaries, blue would vanish on
// black, green would vanish on white, and the centre would be dark; here the centre is a
// middle grey. The weight of a vertex is proportional to p_i^(3/2): beliefs that are
// almost certain, which are much more common than certain ones, already have its colour.
//
// Components outside [0, 1] are clipped and the result is normalised, so regression
// outputs can be coloured, too. If all components are clipped to 0, the colour is the
// centre's.
func RGB(p0, p1, p2 float64) color.NRGBA {
	share := [3]float64{sharpened(p0), sharpened(p1), sharpened(p2)}
	sum := share[0] + share[1] + share[2]
	if sum == 0 {
		share, sum = [3]float64{1, 1, 1}, 3
	}
	var light linear
	for i, v := range vertices {
		for k := range light {
			light[k] += share[i] / sum * v[k]
		}
	}
	return light.encode()
}

// sharpened returns the weight in a mixture of a vertex with probability p, which is
// p^(3/2).
func sharpened(p float64) float64 {
	p = clip(p)
	return p * math.Sqrt(p)
}

func clip(x float64) float64 { return min(max(x, 0), 1) }

// encode returns the colour in sRGB (IEC 61966-2-1).
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

// levels[v] is the linear light above which a component is closer to v+1 than to v. A
// figure can have millions of points, and searching levels takes a quarter of the time of
// math.Pow.
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

// toLinear converts an sRGB component in [0, 1] to linear light.
func toLinear(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// luminance returns the relative luminance defined by WCAG 2.
func (l linear) luminance() float64 { return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2] }

// hex6 formats an opaque colour for SVG.
func hex6(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Colour maps, as colours at equal steps from low to high. viridis is matplotlib's (CC0);
// blueRed is ColorBrewer's RdBu reversed. Both are safe for colour-blind readers.
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

// shade returns the colour of a colour map at t in [0, 1].
func shade(colours []color.NRGBA, t float64) color.NRGBA {
	at := clip(t) * float64(len(colours)-1)
	i := min(int(at), len(colours)-2)
	f := at - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round((1-f)*float64(a) + f*float64(b))) }
	a, b := colours[i], colours[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
