package figure

import (
	"slices"
)

// drawRefs draws the reference lines. Labels are outside the area, where they cannot
// cover data: to the right of horizontal lines and above vertical ones.
func drawRefs(s *svg, refs []Ref, f frame, a rect) {
	var across, down []placedRef
	for _, r := range refs {
		if r.Vertical {
			x, _ := f.point(a, r.Value, f.y.lo)
			s.line("rule", x, a.y, x, a.y+a.h)
			half := textWidth(r.Label, tickSize) / 2
			down = append(down, placedRef{r.Label, x, half})
		} else {
			_, y := f.point(a, f.x.lo, r.Value)
			s.line("rule", a.x, y, a.x+a.w, y)
			across = append(across, placedRef{r.Label, y, tickSize * lead / 2})
		}
	}
	for _, r := range apart(across, a.y, a.y+a.h) {
		s.text(a.x+a.w+4, r.at+tickSize*textHeight/2, label{text: r.text, size: tickSize, anchor: "start"})
	}
	for _, r := range apart(down, a.x, a.x+a.w) {
		s.text(r.at, a.y-3.5, label{text: r.text, size: tickSize})
	}
}

// placedRef is the label of a reference line. The label is centred at a position, and
// half is half of its size along the axis.
type placedRef struct {
	text     string
	at, half float64
}

// apart moves overlapping labels until they only touch: first forward in order of
// position, then back from the upper end of [lo, hi] if they moved past it.
func apart(labels []placedRef, lo, hi float64) []placedRef {
	labels = slices.Clone(labels)
	slices.SortStableFunc(labels, func(p, q placedRef) int {
		switch {
		case p.at < q.at:
			return -1
		case p.at > q.at:
			return 1
		}
		return 0
	})
	for i := range labels {
		labels[i].at = max(labels[i].at, lo+labels[i].half)
		lo = labels[i].at + labels[i].half
	}
	for i := len(labels) - 1; i >= 0; i-- {
		labels[i].at = min(labels[i].at, hi-labels[i].half)
		hi = labels[i].at - labels[i].half
	}
	return labels
}
