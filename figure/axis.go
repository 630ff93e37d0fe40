package figure

import (
	"fmt"
	"math"
	"slices"
)

// An Axis describes one axis of a panel. The zero value is a linear axis without a label
// that spans the data.
type Axis struct {
	Label string
	// Log makes the axis logarithmic. All data must then be positive.
	Log bool
	// Include lists values that the axis must include in addition to the data, such as 0.
	Include []float64
	// Whole puts ticks only at integers.
	Whole bool
	// Names labels the positions 0, 1, 2 …; ticks then show names instead of numbers.
	Names []string

	powers bool // the labels of a logarithmic axis are powers of ten
}

func (a Axis) check(which string) error {
	if a.Log && a.Names != nil {
		return fmt.Errorf("%s axis: an axis with names cannot be logarithmic", which)
	}
	return checkValues(which+" axis: include", a.Include, a.Log)
}

// span is an axis with its two ends in data units.
type span struct {
	Axis
	lo, hi float64
}

// over returns the axis with its ends set to contain all of values and a.Include, plus a
// small margin.
func (a Axis) over(values ...[]float64) span {
	s := span{a, math.Inf(1), math.Inf(-1)}
	for _, vs := range append(values, a.Include) {
		for _, v := range vs {
			s.lo, s.hi = min(s.lo, v), max(s.hi, v)
		}
	}
	if a.Names != nil {
		s.lo, s.hi = min(s.lo, 0), max(s.hi, float64(len(a.Names)-1))
	}
	s.widen(0.04)
	return s
}

// needsPowers reports whether the axis is logarithmic and its labels are too long as
// decimals.
func (s span) needsPowers() bool { return s.Log && needsPowers(s.lo, s.hi) }

// widen moves both ends outward by a share of the length. An axis whose ends agree to
// nine digits is given a default length.
func (s *span) widen(share float64) {
	if s.Log {
		pad := math.Pow(s.hi/s.lo, share)
		if s.hi/s.lo < 1+1e-9 {
			pad = 1.5
		}
		s.lo, s.hi = s.lo/pad, s.hi*pad
		return
	}
	pad := (s.hi - s.lo) * share
	switch top := max(math.Abs(s.lo), math.Abs(s.hi)); {
	case top < smallest:
		pad = 1
	case s.hi-s.lo <= 1e-9*top:
		pad = 0.1 * top
	}
	s.lo, s.hi = s.lo-pad, s.hi+pad
}

// at returns the position of v along the axis, as a fraction of its length. On a
// logarithmic axis v ≤ 0 is placed at the lower end.
func (s span) at(v float64) float64 {
	if !s.Log {
		return (v - s.lo) / (s.hi - s.lo)
	}
	if v <= s.lo {
		return 0
	}
	return math.Log(v/s.lo) / math.Log(s.hi/s.lo)
}

// ticks returns the ticks of an axis. The arguments are the length of the axis and the
// space that each label needs along it, in points.
func (s span) ticks(length, room float64) []tick {
	if s.Names != nil {
		t := make([]tick, len(s.Names))
		for i, name := range s.Names {
			t[i] = tick{float64(i), name}
		}
		return t
	}
	if s.Log {
		return logTicks(s.lo, s.hi, int(length/room), s.powers || s.needsPowers())
	}
	least := (s.hi - s.lo) * room / length
	if !s.Whole {
		return linearTicks(s.lo, s.hi, least)
	}
	return slices.DeleteFunc(linearTicks(s.lo, s.hi, max(1, least)), func(t tick) bool {
		return math.Abs(t.at-math.Round(t.at)) > 1e-9
	})
}

// frame is a plot area with an axis at the bottom and one at the left.
type frame struct {
	title string
	x, y  span
	bare  bool // for bars: the x axis has no grid lines
	equal bool // both axes have the same scale, and therefore the same tick step
	// headroom is free space between the title and the area, in points.
	headroom float64
}

const (
	tickLength = 3.5
	tickGap    = 3.0 // distance between a tick mark and its label
	turned     = -35.0
	equalRoom  = 28.0 // space for a tick label if both axes have the same scale
)

// xTicks returns as many ticks as fit with their labels side by side.
func (f frame) xTicks(w float64) []tick {
	if f.equal {
		return f.x.ticks(w, equalRoom)
	}
	room := 26.0
	ticks := f.x.ticks(w, room)
	for f.x.Names == nil && room < w/2 && widestLabel(ticks)+8 > f.closest(ticks, w) {
		room *= 1.25
		ticks = f.x.ticks(w, room)
	}
	return ticks
}

// closest returns the smallest distance between two labelled ticks, in points, if the
// area is w points wide.
func (f frame) closest(ticks []tick, w float64) float64 {
	least, last := math.Inf(1), math.Inf(-1)
	for _, t := range ticks {
		if t.label != "" {
			x := w * f.x.at(t.at)
			least, last = min(least, x-last), x
		}
	}
	return least
}

func (f frame) yTicks(h float64) []tick {
	if f.equal {
		return f.y.ticks(h, equalRoom)
	}
	return f.y.ticks(h, 24)
}

// naming is the layout of names under the x axis.
type naming int

const (
	flat    naming = iota // names on one line
	broken                // names on two lines
	slanted               // rotated
)

// naming returns the simplest layout in which the names fit.
func (f frame) naming(w float64) naming {
	if f.x.Names == nil {
		return flat
	}
	slot := w/(f.x.hi-f.x.lo) - 4
	ticks := f.xTicks(w)
	if widestLabel(ticks) <= slot {
		return flat
	}
	for _, t := range ticks {
		first, second := breakLine(t.label)
		if max(textWidth(first, tickSize), textWidth(second, tickSize)) > slot {
			return slanted
		}
	}
	return broken
}

// breakLine splits a name at the space that minimises the length of the longer part.
func breakLine(name string) (first, second string) {
	first = name
	for i, r := range name {
		if r == ' ' && max(i, len(name)-i-1) < max(len(first), len(second)) {
			first, second = name[:i], name[i+1:]
		}
	}
	return first, second
}

func widestLabel(ticks []tick) float64 {
	w := 0.0
	for _, t := range ticks {
		w = max(w, textWidth(t.label, tickSize))
	}
	return w
}

// margins returns the space for titles, labels and ticks around an area of w × h.
func (f frame) margins(w, h float64) margins {
	xt, yt := f.xTicks(w), f.yTicks(h)
	m := margins{top: 5, right: 3, bottom: tickLength + tickGap + tickSize}
	m.left = tickLength + tickGap + widestLabel(yt)
	if f.title != "" {
		m.top = titleSize*lead + 4
	}
	m.top += f.headroom
	switch f.naming(w) {
	case broken:
		m.bottom += tickSize * lead
	case slanted:
		sin, cos := math.Sincos(-turned * math.Pi / 180)
		wide := widestLabel(xt)
		m.bottom += wide * sin
		first := textWidth(xt[0].label, tickSize) * cos
		m.left = max(m.left, first-w*f.x.at(0))
	case flat:
		for _, t := range xt { // the outermost labels overhang
			half := textWidth(t.label, tickSize) / 2
			m.right = max(m.right, half-w*(1-f.x.at(t.at)))
			m.left = max(m.left, half-w*f.x.at(t.at))
		}
	}
	if f.x.Label != "" {
		m.bottom += labelSize * lead
		over := (textWidth(f.x.Label, labelSize) - w) / 2
		m.right, m.left = max(m.right, over), max(m.left, over)
	}
	if f.y.Label != "" {
		m.left += labelSize*lead + 2
		over := (textWidth(f.y.Label, labelSize) - h) / 2
		m.top, m.bottom = max(m.top, over), max(m.bottom, over)
	}
	return m
}

// draw draws everything except the data.
func (f frame) draw(s *svg, a rect) {
	if f.title != "" {
		s.text(a.x+a.w/2, a.y-5-f.headroom, label{text: f.title, size: titleSize, bold: true})
	}
	s.open("axes")
	f.drawX(s, a)
	f.drawY(s, a)
	s.put(`<path class="axis" d="%s"/>`, points(a.x, a.y, a.x, a.y+a.h, a.x+a.w, a.y+a.h))
	s.close()
}

func (f frame) drawX(s *svg, a rect) {
	bottom := a.y + a.h
	how := f.naming(a.w)
	for _, t := range f.xTicks(a.w) {
		x := a.x + a.w*f.x.at(t.at)
		if t.label == "" {
			s.line("axis", x, bottom, x, bottom+tickLength*0.6)
			continue
		}
		if !f.bare {
			s.line("grid", x, a.y, x, bottom)
			s.line("axis", x, bottom, x, bottom+tickLength)
		}
		l := label{text: t.label, size: tickSize}
		y := bottom + tickLength + tickGap + tickSize*textHeight
		switch how {
		case slanted:
			l.anchor, l.turn = "end", turned
			x += 3
		case broken:
			var second string
			l.text, second = breakLine(l.text)
			s.text(x, y+tickSize*lead, label{text: second, size: tickSize})
		}
		s.text(x, y, l)
	}
	if f.x.Label != "" {
		y := bottom + f.margins(a.w, a.h).bottom - 2.5
		s.text(a.x+a.w/2, y, label{text: f.x.Label, size: labelSize})
	}
}

func (f frame) drawY(s *svg, a rect) {
	ticks := f.yTicks(a.h)
	for _, t := range ticks {
		y := a.y + a.h*(1-f.y.at(t.at))
		if t.label == "" {
			s.line("axis", a.x-tickLength*0.6, y, a.x, y)
			continue
		}
		s.line("grid", a.x, y, a.x+a.w, y)
		s.line("axis", a.x-tickLength, y, a.x, y)
		s.text(a.x-tickLength-tickGap, y+tickSize*textHeight/2, label{text: t.label, size: tickSize, anchor: "end"})
	}
	if f.y.Label != "" {
		x := a.x - tickLength - tickGap - widestLabel(ticks) - 6
		s.text(x, a.y+a.h/2, label{text: f.y.Label, size: labelSize, turn: -90})
	}
}

// point returns the coordinates of (x, y) in the area.
func (f frame) point(a rect, x, y float64) (float64, float64) {
	return a.x + a.w*f.x.at(x), a.y + a.h*(1-f.y.at(y))
}
