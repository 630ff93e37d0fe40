package figure

import (
	"fmt"
	"image/color"
)

// A key is an entry of the legend.
type key struct {
	name  string
	kind  keyKind
	class int // the colour class; 0 for an entry that several classes share
	open  bool
	dash  string // the dash pattern of a line
	upon  int    // for a fillKey: the colour class of the wider band below; 0 means no such band
}

type keyKind int

const (
	lineKey keyKind = iota
	bandKey
	fillKey   // a band without a line
	strokeKey // a line without markers
	dotKey
	rangeKey // a dot with its range
	barKey
	arrowKey
)

type placedKey struct {
	key
	x, y float64 // the left end and the vertical middle of the entry
	text float64 // the left end of the entry's name, relative to x
}

const keyHeight = 14.0

// color returns the colour of the sample.
func (k key) color() color.NRGBA {
	if k.class == 0 {
		return hue(Grey)
	}
	return hue(k.class)
}

// sample returns the width of the sample of a key.
func (k key) sample() float64 {
	if k.kind == dotKey || k.kind == barKey {
		return 11
	}
	if k.kind == lineKey && k.dash != "" && k.class > 0 {
		return 34 // wide enough for dashes on both sides of the marker
	}
	return 20
}

// arrangeLegend arranges the keys in lines that fit a width, and returns them and their
// total height.
func arrangeLegend(keys []key, width float64) ([]placedKey, float64) {
	if len(keys) == 0 {
		return nil, 0
	}
	var placed []placedKey
	x, y := 0.0, keyHeight/2
	for _, k := range keys {
		w := k.sample() + 4 + textWidth(k.name, tickSize)
		if x > 0 && x+w > width {
			x, y = 0, y+keyHeight
		}
		placed = append(placed, placedKey{k, x, y, k.sample() + 4})
		x += w + 12
	}
	flushNames(placed)
	return placed, y + keyHeight/2 + 4
}

// flushNames aligns the names if each key is on its own line and the samples' widths
// differ.
func flushNames(placed []placedKey) {
	widest := 0.0
	for _, k := range placed[1:] {
		if k.x > 0 {
			return
		}
	}
	for _, k := range placed {
		widest = max(widest, k.text)
	}
	for i := range placed {
		placed[i].text = widest
	}
}

// draw draws the key in a legend whose upper left corner is at (left, top).
func (k placedKey) draw(s *svg, left, top float64) {
	x, y, c, wide := left+k.x, top+k.y, k.color(), k.sample()
	switch k.kind {
	case bandKey:
		k.fill(s, x, y, c)
		s.polyline([]float64{x, y, x + wide, y}, c, k.dash)
	case fillKey:
		if k.upon > 0 {
			k.fill(s, x, y, hue(k.upon))
		}
		k.fill(s, x, y, c)
	case strokeKey:
		k.line(s, x, y)
	case lineKey:
		k.line(s, x, y)
		if k.class > 0 {
			s.marker(k.class, x+wide/2, y, 2.6, c, k.open)
		}
	case dotKey:
		s.marker(max(k.class, 1), x+wide/2, y, 3, c, k.open)
	case rangeKey:
		s.reach(x, x+wide/2, x+wide, y, c, k.open)
		s.marker(k.class, x+wide/2, y, dotRadius, c, k.open)
	case barKey:
		s.rect(rect{x, y - 4.5, wide, 9}, barStyle(c, k.open))
	case arrowKey:
		s.arrow(x, y, x+wide, y, c, k.open)
	default:
		panic(fmt.Sprintf("figure: no key of kind %d", k.kind))
	}
	s.text(x+k.text, y+tickSize*textHeight/2, label{text: k.name, size: tickSize, anchor: "start"})
}

// fill draws the band of a sample, starting at x.
func (k key) fill(s *svg, x, y float64, c color.NRGBA) {
	const half = 4.5
	right := x + k.sample()
	s.band([]float64{x, y + half, right, y + half}, []float64{x, y - half, right, y - half}, c)
}

// line draws the line of a sample, starting at x. Dashes end at the edge of a hollow
// marker.
func (k key) line(s *svg, x, y float64) {
	c, wide := k.color(), k.sample()
	if !k.open || k.class == 0 {
		s.polyline([]float64{x, y, x + wide, y}, c, k.dash)
		return
	}
	const dashes = 12.5 // two dashes and the gap between them
	s.polyline([]float64{x, y, x + dashes, y}, c, openDash)
	s.polyline([]float64{x + wide - dashes, y, x + wide, y}, c, openDash)
}
