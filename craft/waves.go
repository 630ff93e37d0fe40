package craft

import (
	"fmt"
	"math"

	"foretell/internal/portable"

	"gonum.org/v1/gonum/mat"
)

// Waves are positions given by angles: in each of Width/2 planes position p has the angle
// p·ω_k, ω_k = 10000^(−2k/Width), k = 0, 1, …. Kind determines where the planes are:
//
//   - [Sinusoidal]: (sin pω_k, cos pω_k) in columns 2k and 2k+1 of the residual stream,
//     whose d_model is Width (Vaswani et al. 2017, Sec. 3.5);
//   - [Rotary]: each head rotates its queries and keys by the angles, and its d_head is
//     Width (Su et al. 2021).
//
// A head attends by distance with its Turns, which are the same for both kinds.
//
// Sinusoidal positions use every column of the residual stream, but the directions of a
// design do not interfere with them: n_ctx positions span at most n_ctx dimensions, and
// the directions are in the other Width − n_ctx. The directions are orthogonal to every
// position, but not to every axis. So a column is read along its axis minus the axis's
// projection onto the directions. This vector has the same product with the positions as
// the axis, and is orthogonal to the directions. [Sine] and [Cosine] name the columns
// that can be read.
type Waves struct {
	Kind  string
	Width int
}

// The kinds of [Waves], as in model.Config.
const (
	Sinusoidal = "sinusoidal"
	Rotary     = "rotary"
)

// Sine returns the name of the direction with sin(p·ω_k) at sinusoidal position p.
func Sine(k int) string { return fmt.Sprintf("sin %d", k) }

// Cosine returns the name of the direction with cos(p·ω_k) at sinusoidal position p.
func Cosine(k int) string { return fmt.Sprintf("cos %d", k) }

// ln10000 is ln 10000.
const ln10000 = 9.21034037197618273607

// Planes returns the number of planes.
func (w Waves) Planes() int { return w.Width / 2 }

// Frequency returns ω_k in radians per position.
func (w Waves) Frequency(k int) float64 {
	return portable.Exp(-ln10000 * float64(2*k) / float64(w.Width))
}

// Slower returns the first plane whose frequency is at most the given one, in radians per
// position, or the slowest plane if no plane is slow enough.
func (w Waves) Slower(most float64) int {
	for k := range w.Planes() {
		if w.Frequency(k) <= most {
			return k
		}
	}
	return w.Planes() - 1
}

// Turn adds Nats·cos((i − j − Offset)·ω) to the score of source j at position i, where ω
// is the frequency of a plane: the key is rotated by Offset·ω relative to the query.
//
// An Offset need not be a whole number of positions. With −π/(2ω), a quarter turn ahead,
// the cosine is −sin((i − j)·ω), which decreases with the distance of the source (see
// [Waves.Latest]).
type Turn struct {
	Plane        int
	Offset, Nats float64
}

// Score returns the sum that turns add to the score of a source at a distance i − j.
func (w Waves) Score(turns []Turn, distance float64) float64 {
	sum := 0.0
	for _, t := range turns {
		sum += t.Nats * math.Cos((distance-t.Offset)*w.Frequency(t.Plane))
	}
	return sum
}

// Elsewhere returns the fraction of its attention that a head gives to sources other than
// the intended one, which is `offset` positions back. The head's scores are given by the
// turns alone, and it is at the last of nCtx positions. At earlier positions, which have
// fewer sources, this fraction is smaller. If a(m) is the score of a source m positions
// from the offset, it is
//
//	E = L/(1 + L), L = Σ_m exp(a(m) − a(0)), m = −offset … nCtx−1−offset without 0.
func (w Waves) Elsewhere(turns []Turn, offset, nCtx int) float64 {
	at, rest := w.Score(turns, float64(offset)), 0.0
	for distance := range nCtx {
		if distance != offset {
			rest += math.Exp(w.Score(turns, float64(distance)) - at)
		}
	}
	if math.IsInf(rest, 1) {
		return 1
	}
	return rest / (1 + rest)
}

// Gap returns how far the scores of all other sources are below the peak if each plane
// has one nat. The sum Σ_k cos(m·ω_k) over planes has its peak at m = 0. The gap is the
// smallest difference between the peak and the sum at another whole number |m| < nCtx.
// The second result is that m.
//
// The peak is unique if and only if no m is a whole number of turns in all planes. If ω_0
// = 1 is among the frequencies there is no such m, because π is irrational. But m = 44 is
// close (7 turns and 0.018 rad), and m = 710 is closer (113 turns and 6e-5 rad). If nCtx
// ≤ π/ω for the frequency ω of the fastest plane, the sum decreases with |m|, and the gap
// is at m = 1.
func (w Waves) Gap(planes []int, nCtx int) (gap float64, at int) {
	gap = math.Inf(1)
	for m := 1; m < nCtx; m++ {
		below := 0.0
		for _, k := range planes {
			s := math.Sin(float64(m) * w.Frequency(k) / 2)
			below += 2 * s * s // 1 − cos without cancellation
		}
		if below < gap {
			gap, at = below, m
		}
	}
	return gap, at
}

// Peaked returns turns with which a head attends to the source at the given offset,
// counted in positions back, in contexts of nCtx tokens. Other sources receive at most
// the fraction `elsewhere` of the attention. The nats are the same in each plane, and as
// small as possible (see [Waves.Elsewhere]). With a gap g between the peak and all other
// sources, (ln(nCtx/elsewhere))/g nats in each plane are enough.
//
// The first positions have no source that far back. They attend to the nearest source,
// the first one, if the fastest plane is slower than π/nCtx ([Waves.Slower]): scores then
// decrease with the distance from the peak.
func (w Waves) Peaked(planes []int, offset, nCtx int, elsewhere float64) []Turn {
	turns := make([]Turn, len(planes))
	set := func(nats float64) bool {
		for i, k := range planes {
			turns[i] = Turn{k, float64(offset), nats}
		}
		return w.Elsewhere(turns, offset, nCtx) <= elsewhere
	}
	gap, _ := w.Gap(planes, max(nCtx, 2))
	most := math.Log(float64(nCtx)/elsewhere) / gap
	set(bisect(0, most, func(nats float64) bool { return !set(nats) }))
	return scaled(turns, 1+1e-9)
}

// scaled returns turns with their nats multiplied by a factor.
func scaled(turns []Turn, factor float64) []Turn {
	for i := range turns {
		turns[i].Nats *= factor
	}
	return turns
}

// latest returns the plane that identifies the latest source: slow enough (n_ctx·ω ≤ 1)
// that the sine does not flatten.
func (w Waves) latest(nCtx int) int { return w.Slower(1 / float64(nCtx)) }

// Latest returns a turn with which each source scores at least `step` nats more than the
// source before it, in contexts of nCtx tokens. The result span is the largest difference
// between the scores of the latest and the earliest source. In a plane with ω ≤ 1/nCtx
// the turn adds −N·sin((i − j)·ω), which differs between neighbouring sources by at least
// N·ω·cos(nCtx·ω).
func (w Waves) Latest(nCtx int, step float64) (turn Turn, span float64) {
	k := w.latest(nCtx)
	omega := w.Frequency(k)
	nats := step / (omega * math.Cos(float64(nCtx)*omega))
	return Turn{k, -math.Pi / (2 * omega), nats}, nats * math.Sin(float64(nCtx)*omega)
}

// LastOf returns the scores and turns of a head that attends to the latest source with
// one of the directions in marks, or to the latest of all sources if no source has such a
// direction, in contexts of nCtx tokens. Other sources receive at most the fraction
// `elsewhere` of the attention.
//
// With s = ln((nCtx + 2)/elsewhere), a source scores at least s more than the source
// before it, and a mark adds s more than the largest difference between the scores of two
// positions.
func (w Waves) LastOf(marks []string, nCtx int, elsewhere float64) ([]Score, []Turn) {
	step := math.Log(float64(nCtx+2) / elsewhere)
	turn, span := w.Latest(nCtx, step)
	bonus := span + step
	if w.Kind == Rotary { // a mark's score shrinks by this factor with its distance, at most nCtx
		bonus /= math.Cos(float64(nCtx) * w.Frequency(w.Planes()-1))
	}
	scores := make([]Score, len(marks))
	for i, mark := range marks {
		scores[i] = Score{Always, mark, bonus}
	}
	return scores, []Turn{turn}
}

// scores expresses a turn in a sinusoidal plane as scores of the plane's columns:
//
//	cos((i − j − o)ω) = (sin iω)·(cos oω·sin jω + sin oω·cos jω)
//	                  + (cos iω)·(cos oω·cos jω − sin oω·sin jω).
//
// W_Q is the identity on the plane and W_K the rotation from position j to j + o (EE269
// 2026, “Why Sin and Cos for Positions: Relative Shifts”), multiplied by Nats.
func (t Turn) scores(w Waves) []Score {
	sin, cos := math.Sincos(t.Offset * w.Frequency(t.Plane))
	s, c := Sine(t.Plane), Cosine(t.Plane)
	return []Score{{s, s, t.Nats * cos}, {s, c, t.Nats * sin}, {c, c, t.Nats * cos}, {c, s, -t.Nats * sin}}
}

// lowered replaces the turns of a design by scores if its positions are sinusoidal. It
// returns any other design unchanged.
func (d Design) lowered() Design {
	if d.Waves.Kind != Sinusoidal {
		return d
	}
	blocks := make([]Block, len(d.Blocks))
	for i, b := range d.Blocks {
		blocks[i] = b
		blocks[i].Heads = make([]Head, len(b.Heads))
		for j, h := range b.Heads {
			for _, t := range h.Turns {
				h.Attend = append(h.Attend[:len(h.Attend):len(h.Attend)], t.scores(d.Waves)...)
			}
			h.Turns = nil
			blocks[i].Heads[j] = h
		}
	}
	d.Blocks = blocks
	return d
}

// check returns an error if the waves do not fit a design.
func (w Waves) check(d Design) error {
	switch {
	case w.Kind == "" && w.Width != 0:
		return fmt.Errorf("waves of width %d have no kind; give %s or %s", w.Width, Sinusoidal, Rotary)
	case w.Kind == "":
		return d.eachTurn(func(Head, Turn) error {
			return fmt.Errorf("a head has Turns, but the design has no planes of positions; give Waves")
		})
	case w.Kind != Sinusoidal && w.Kind != Rotary:
		return fmt.Errorf("waves are %q; give %s or %s", w.Kind, Sinusoidal, Rotary)
	case w.Width < 2 || w.Width%2 != 0:
		return fmt.Errorf("waves have a width of %d; give an even width of at least 2", w.Width)
	case d.Positions != nil || w.Kind == Sinusoidal && d.Directions != nil:
		return fmt.Errorf("a design with %s waves cannot have Positions or Directions; leave them out", w.Kind)
	}
	if err := w.checkWidths(d); err != nil {
		return err
	}
	return d.eachTurn(func(h Head, t Turn) error {
		planes := w.Planes()
		if w.Kind == Rotary {
			planes -= len(h.queries()) // the queries take the slowest planes
		}
		if t.Plane < 0 || t.Plane >= planes {
			return fmt.Errorf("a head has a Turn in plane %d, but only %d planes (from 0) with %s positions of width %d",
				t.Plane, planes, w.Kind, w.Width)
		}
		return nil
	})
}

// checkWidths returns an error if the positions are rotary and a head needs more
// dimensions than their width.
func (w Waves) checkWidths(d Design) error {
	for _, b := range d.Blocks {
		for _, h := range b.Heads {
			if need := max(len(h.targets()), 2*len(h.queries())); w.Kind == Rotary && need > w.Width {
				return fmt.Errorf("a head needs %d dimensions, but rotary positions have a width of %d; make them wider",
					need, w.Width)
			}
		}
	}
	return nil
}

// eachTurn calls check with the turns of all heads, and returns the first error.
func (d Design) eachTurn(check func(Head, Turn) error) error {
	for _, b := range d.Blocks {
		for _, h := range b.Heads {
			for _, t := range h.Turns {
				if err := check(h, t); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// amongSinusoids returns a vector for each of the named directions. The vectors are
// orthogonal to every sinusoidal position and to each other.
func (w Waves) amongSinusoids(names []string, nCtx int) (basis, error) {
	if need := nCtx + len(names); w.Width < need {
		return basis{}, fmt.Errorf("%d directions and %d sinusoidal positions need a width of %d, not %d",
			len(names), nCtx, need+need%2, w.Width)
	}
	table := mat.NewDense(w.Width, nCtx, nil)
	for p := range nCtx {
		for k := range w.Planes() {
			sin, cos := portable.Sincos(float64(p) * w.Frequency(k))
			table.Set(2*k, p, sin)
			table.Set(2*k+1, p, cos)
		}
	}
	var qr mat.QR
	var q mat.Dense
	qr.Factorize(table)
	qr.QTo(&q)
	b := basis{width: w.Width, vectors: map[string][]float64{}, order: names, columns: map[string]int{}}
	for i, name := range names {
		b.vectors[name] = mat.Col(nil, nCtx+i, &q)
	}
	for k := range w.Planes() {
		b.columns[Sine(k)], b.columns[Cosine(k)] = 2*k, 2*k+1
	}
	return b, nil
}

// vector returns the vector along which a direction is read. If the name is a column of
// sinusoidal positions, this is the column's axis minus its projection onto the named
// directions.
func (b basis) vector(name string) []float64 {
	column, ok := b.columns[name]
	if !ok {
		return b.vectors[name]
	}
	v := make([]float64, b.width)
	v[column] = 1
	for _, direction := range b.order {
		t := b.vectors[direction]
		for i, x := range t {
			v[i] -= t[column] * x
		}
	}
	return v
}
