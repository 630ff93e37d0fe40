package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strconv"
)

const scheme = "data:image/png;base64,"

var (
	pictures = regexp.MustCompile(scheme + `[A-Za-z0-9+/=]+`)

	// grids matches the cells of a heat map without numbers, and square one of them.
	grids  = regexp.MustCompile(`(?m)^ *<g class="cells">\n(?: *` + rectangle + `\n)+ *</g>$`)
	square = regexp.MustCompile(rectangle)
)

const rectangle = `<rect x="([^"]+)" y="([^"]+)" width="([^"]+)" height="([^"]+)" fill="#([0-9a-f]{6})"/>`

// pictured returns the cells of a heat map as a picture, as package figure draws the
// cells of a large one. Places without a cell are transparent.
func pictured(group []byte) []byte {
	all := square.FindAllSubmatch(group, -1)
	xs, ys := make([]float64, len(all)), make([]float64, len(all))
	colours := make([]color.NRGBA, len(all))
	var right, bottom float64
	for i, m := range all {
		var at [4]float64 // x, y, width and height
		for k := range at {
			at[k], _ = strconv.ParseFloat(string(m[1+k]), 64)
		}
		rgb, _ := strconv.ParseUint(string(m[5]), 16, 32)
		xs[i], ys[i] = at[0], at[1]
		right, bottom = max(right, at[0]+at[2]), max(bottom, at[1]+at[3])
		colours[i] = color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}
	}
	left, top := slices.Min(xs), slices.Min(ys)
	columns, rows := indices(xs), indices(ys)
	const px = 4 // pixels of a cell in each direction
	img := image.NewNRGBA(image.Rect(0, 0, px*(slices.Max(columns)+1), px*(slices.Max(rows)+1)))
	for i, c := range colours {
		for k := range px * px {
			img.SetNRGBA(px*columns[i]+k%px, px*rows[i]+k/px, c)
		}
	}
	return fmt.Appendf(nil, `<g class="cells">
<image x="%g" y="%g" width="%.2f" height="%.2f" preserveAspectRatio="none" style="image-rendering:pixelated" href="%s"/>
</g>`, left, top, right-left, bottom-top, encoded(img))
}

// indices returns the numbers of the columns that begin at the places, from 0. A column
// may lack a place, but two adjacent columns must have one each.
func indices(places []float64) []int {
	sorted := slices.Compact(slices.Sorted(slices.Values(places)))
	first, last := sorted[0], sorted[len(sorted)-1]
	step := last - first
	for i, x := range sorted[1:] {
		step = min(step, x-sorted[i])
	}
	numbers := make([]int, len(places))
	if step > 0 {
		step = (last - first) / math.Round((last-first)/step)
		for i, x := range places {
			numbers[i] = int(math.Round((x - first) / step))
		}
	}
	return numbers
}

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
