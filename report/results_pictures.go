package report

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"regexp"
)

const scheme = "data:image/png;base64,"

var pictures = regexp.MustCompile(scheme + `[A-Za-z0-9+/=]+`)

// coarser returns a picture with one pixel in place of factor × factor pixels. Opacity is
// averaged, and colour is averaged by opacity.
func coarser(uri []byte, factor int) []byte {
	data, err := base64.StdEncoding.DecodeString(string(uri[len(scheme):]))
	if err != nil {
		return uri
	}
	fine, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return uri
	}
	size := fine.Bounds()
	img := image.NewNRGBA(image.Rect(0, 0, (size.Dx()+factor-1)/factor, (size.Dy()+factor-1)/factor))
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			img.SetNRGBA(x, y, mean(fine, image.Rect(x*factor, y*factor, (x+1)*factor, (y+1)*factor).Intersect(size)))
		}
	}
	return encoded(img)
}

// encoded returns the URI of a picture.
func encoded(img *image.NRGBA) []byte {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&b, withPalette(img)); err != nil {
		panic("report: " + err.Error()) // writing to a buffer cannot fail
	}
	return []byte(scheme + base64.StdEncoding.EncodeToString(b.Bytes()))
}

// withPalette returns a picture of at most 256 colours as one of a byte for each pixel.
func withPalette(img *image.NRGBA) image.Image {
	var colours color.Palette
	numbers := map[color.NRGBA]uint8{}
	small := image.NewPaletted(img.Rect, nil)
	for i := range small.Pix {
		c := img.NRGBAAt(i%img.Rect.Dx(), i/img.Rect.Dx())
		number, ok := numbers[c]
		if !ok {
			if len(colours) == 256 {
				return img
			}
			number = uint8(len(colours))
			numbers[c], colours = number, append(colours, c)
		}
		small.Pix[i] = number
	}
	small.Palette = colours
	return small
}

// mean returns the mean colour of a part of a picture, with 16 levels of opacity and 32
// of each channel.
func mean(img image.Image, part image.Rectangle) color.NRGBA {
	var r, g, b, a uint64 // sums over pixels of channels times opacity
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			pr, pg, pb, pa := img.At(x, y).RGBA()
			r, g, b, a = r+uint64(pr), g+uint64(pg), b+uint64(pb), a+uint64(pa)
		}
	}
	n := uint64(part.Dx() * part.Dy())
	opacity := uint8((a/n*15+0x7fff)/0xffff) * 17
	if opacity == 0 {
		return color.NRGBA{}
	}
	channel := func(sum uint64) uint8 {
		v := uint8(sum * 255 / a)
		return v&^7 | v>>5
	}
	return color.NRGBA{channel(r), channel(g), channel(b), opacity}
}
