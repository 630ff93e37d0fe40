package signals

import (
	"fmt"
	"math"

	"foretell/claim"
	"foretell/craft"
	"foretell/document"
	"foretell/figure"
)

// Settings of the heads whose sharpness S8 shows.
const (
	sharpWidth   = 64   // width of the position embeddings, as in the homework
	sharpOffset  = 25   // offset to which a head attends
	leftOver     = 1e-6 // attention that remains at other offsets
	longerLength = 1024 // a context longer than the lecture's
)

// planesOf is a head, with the planes of the position embeddings that it uses.
type planesOf struct {
	name   string
	planes []int
}

// sharpHeads returns heads that use the 1, 2, 4, 8 and 32 fastest planes, whose cosines
// add up as in the slide's kernel. The last head uses one plane: the fastest whose cosine
// falls over a whole context of K positions.
func sharpHeads(w craft.Waves, K int) (list []planesOf) {
	for _, n := range []int{1, 2, 4, 8, 32} {
		h := planesOf{name: fmt.Sprintf("d_head = %d", 2*n)}
		for k := range n {
			h.planes = append(h.planes, k)
		}
		list = append(list, h)
	}
	return append(list, planesOf{"d_head = 2, ω ≤ π/K", []int{w.Slower(math.Pi / float64(K))}})
}

// sharpness returns a table of how far the score of each head at its peak is above its
// scores at other offsets.
func sharpness() document.Frame {
	w := craft.Waves{Kind: craft.Sinusoidal, Width: sharpWidth}
	f := document.Frame{
		Title: fmt.Sprintf("heads that use planes of d = %d: gap between the peak of Σ cos(mω_k), at m = 0, and the "+
			"largest value at another |m| < K; and the gain that leaves %.0e of the attention at other offsets",
			sharpWidth, leftOver),
		Columns: []document.Column{
			{Heading: "planes"},
			{Heading: fmt.Sprintf("gap, K = %d", triedLength), Format: "%.3g"},
			{Heading: "at m"},
			{Heading: fmt.Sprintf("gap, K = %d", longerLength), Format: "%.3g"},
			{Heading: "at m"},
			{Heading: fmt.Sprintf("nats a plane, offset %d, K = %d", sharpOffset, triedLength), Format: "%.4g"},
		},
	}
	longer := sharpHeads(w, longerLength)
	for n, h := range sharpHeads(w, triedLength) {
		near, at := w.Gap(h.planes, triedLength)
		far, farAt := w.Gap(longer[n].planes, longerLength)
		turns := w.Peaked(h.planes, sharpOffset, triedLength, leftOver)
		f.Row(h.name, near, at, far, farAt, turns[0].Nats)
	}
	return f
}

// elsewhereCurves returns a curve for each head: its attention at other offsets, as a
// function of the gain.
func elsewhereCurves() (list []figure.Series) {
	const least = 1e-12
	w := craft.Waves{Kind: craft.Sinusoidal, Width: sharpWidth}
	for _, h := range sharpHeads(w, triedLength) {
		s := figure.Series{Name: h.name}
		for nats := 0.1; nats < 1e5; nats *= 1.3 {
			turns := make([]craft.Turn, len(h.planes))
			for i, k := range h.planes {
				turns[i] = craft.Turn{Plane: k, Offset: sharpOffset, Nats: nats}
			}
			e := w.Elsewhere(turns, sharpOffset, triedLength)
			if e < least {
				break
			}
			s.Add(nats, e)
		}
		list = append(list, s)
	}
	return list
}

// drawSharpness draws the attention at other offsets.
func drawSharpness(out *claim.Output) {
	curves := elsewhereCurves()
	out.Figure("elsewhere",
		figure.Single("Attention elsewhere",
			"The curves fall from nearly 1. The curves of heads with more planes fall at a smaller gain.",
			figure.Chart{
				X:      figure.Axis{Label: "gain, nats a plane", Log: true},
				Y:      figure.Axis{Label: "attention elsewhere", Log: true},
				Series: curves,
			}))
	f := document.Frame{Columns: document.Named("head", "nats", "elsewhere")}
	f.Columns[0].Meaning = "the head"
	for n, s := range curves {
		f.Columns[0].Codes = append(f.Columns[0].Codes, s.Name)
		for i, x := range s.X {
			f.Row(n, x, s.Y[i])
		}
	}
	out.CSV("elsewhere", f)
}
