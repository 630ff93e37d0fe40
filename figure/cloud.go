package figure

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
)

// cloudScale is the resolution of a picture of points, in pixels for each typographic
// point. It looks sharp on high-density screens.
const cloudScale = 3

// A cloud is a picture of many antialiased discs on a transparent background. Where discs
// overlap, their colours are averaged in linear light; therefore the picture does not
// depend on the order of the points.
type cloud struct {
	area    rect
	w, h    int
	light   []linear  // sum of the discs' light, weighted by coverage
	cover   []float64 // sum of the fractions of the pixel that the discs cover
	decoded map[color.NRGBA]linear
}

func newCloud(area rect) *cloud {
	w, h := int(math.Ceil(area.w*cloudScale)), int(math.Ceil(area.h*cloudScale))
	return &cloud{
		area: area, w: w, h: h,
		light: make([]linear, w*h), cover: make([]float64, w*h),
		decoded: map[color.NRGBA]linear{},
	}
}

// add adds a disc of radius r at (x, y), all in points.
func (c *cloud) add(x, y, r float64, colour color.NRGBA) {
	light, ok := c.decoded[colour]
	if !ok {
		light = decode(colour)
		c.decoded[colour] = light
	}
	x, y, r = (x-c.area.x)*cloudScale, (y-c.area.y)*cloudScale, r*cloudScale
	for j := max(0, int(y-r-1)); j <= min(c.h-1, int(y+r+1)); j++ {
		for i := max(0, int(x-r-1)); i <= min(c.w-1, int(x+r+1)); i++ {
			share := clip(r + 0.5 - math.Hypot(float64(i)+0.5-x, float64(j)+0.5-y))
			if share == 0 {
				continue
			}
			c.cover[j*c.w+i] += share
			for k := range light {
				c.light[j*c.w+i][k] += share * light[k]
			}
		}
	}
}

// image returns the picture. It quantises opacity to 16 levels and each channel to 32,
// which is invisible and halves the size of the file.
func (c *cloud) image() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, c.w, c.h))
	for i, cover := range c.cover {
		alpha := uint8(math.Round(15*min(cover, 1))) * 17
		if alpha == 0 {
			continue
		}
		var mean linear
		for k := range mean {
			mean[k] = c.light[i][k] / cover
		}
		p := mean.encode()
		img.SetNRGBA(i%c.w, i/c.w, color.NRGBA{coarse(p.R), coarse(p.G), coarse(p.B), alpha})
	}
	return img
}

// coarse keeps the five high bits of a channel.
func coarse(v uint8) uint8 { return v&^7 | v>>5 }

// draw embeds the picture at its area.
func (c *cloud) draw(s *svg) {
	r := rect{c.area.x, c.area.y, float64(c.w) / cloudScale, float64(c.h) / cloudScale}
	s.image(r, encodePNG(c.image()), "")
}

func encodePNG(img image.Image) []byte {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.DefaultCompression}
	if err := e.Encode(&b, img); err != nil {
		panic("figure: " + err.Error()) // writing to a buffer cannot fail
	}
	return b.Bytes()
}
