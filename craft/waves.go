package craft

import (
	"fmt"
	"math"

	"foretell/internal/portable"

	"gonum.org/v1/gonum/mat"
)

// Waves are positions that are told by angles: in each of Width/2 planes position p has
// the angle p·ω_k, ω_k = 10000^(−2k/Width), k = 0, 1, …. Kind says where the planes are:
//
//   - [Sinusoidal]: (sin pω_k, cos pω_k) in columns 2k and 2k+1 of the residual stream,
//     whose d_model is Width (Vaswani et al. 2017, Sec. 3.5);
//   - [Rotary]: each head turns its queries and keys by them, and its d_head is Width
//     (Su et al. 2021).
//
// A head looks at distances by its Turns, which are the same in both.
//
// Sinusoidal positions fill the whole residual stream, and yet the directions of a design
// do not interfere with them: n_ctx positions span at most n_ctx dimensions, and the
// directions lie in the Width − n_ctx others. They are orthogonal to every position, not
// to every axis. A column is read along its axis less the axis's part among the
// directions, which finds the same in the positions and nothing in the directions. The
// columns that can be read are named by [Sine] and [Cosine].
type Waves struct {
	Kind  string
	Width int
}

// The kinds of [Waves], as model.Config has them.
const (
	Sinusoidal = "sinusoidal"
	Rotary     = "rotary"
)

// Sine is the name of the direction that has sin(p·ω_k) at sinusoidal position p.
func Sine(k int) string { return fmt.Sprintf("sin %d", k) }

// Cosine is the name of the direction that has cos(p·ω_k) at sinusoidal position p.
func Cosine(k int) string { return fmt.Sprintf("cos %d", k) }

// ln10000 is ln 10000.
const ln10000 = 9.21034037197618273607

// Planes returns how many planes there are.
func (w Waves) Planes() int { return w.Width / 2 }

// Frequency returns ω_k, in radians a position.
func (w Waves) Frequency(k int) float64 {
	return portable.Exp(-ln10000 * float64(2*k) / float64(w.Width))
}

// Slower returns the first plane whose frequency is at most most, in radians a position,
// or the slowest plane where none is.
func (w Waves) Slower(most float64) int {
	for k := range w.Planes() {
		if w.Frequency(k) <= most {
			return k
		}
	}
	return w.Planes() - 1
}

// Turn adds Nats·cos((i − j − Offset)·ω) to the score of source j as seen from position
// i, ω being the frequency of a plane: the plane of the keys is turned by Offset·ω
// against that of the queries.
//
// An Offset that is no position has its use, too: −π/(2ω), a quarter of a turn ahead,
// makes of the cosine −sin((i − j)·ω), which falls from source to source (see
// [Waves.Latest]).
type Turn struct {
	Plane        int
	Offset, Nats float64
}

// Score returns what turns add to the score of a source at a distance i − j.
func (w Waves) Score(turns []Turn, distance float64) float64 {
	sum := 0.0
	for _, t := range turns {
		sum += t.Nats * math.Cos((distance-t.Offset)*w.Frequency(t.Plane))
	}
	return sum
}

// Elsewhere returns how much of its attention a head that looks by turns alone gives to
// other sources than the one at offset, from the last of nCtx positions. From earlier
// ones, which have fewer sources, it is less. With a(m) what the turns score m sources
// away from the offset,
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

// Gap returns by how much the sum of cosines Σ_k cos(m·ω_k) over planes stays below its
// peak at m = 0 at all other whole m with |m| < nCtx, and where it comes nearest. It is
// what one nat in each plane sets the peak apart by.
//
// The peak is unique exactly if no m turns all planes by whole turns. Where ω_0 = 1 is
// among them there is no such m, since π is irrational, but m = 44 nearly is one (7 turns
// and 0.018 rad), and m = 710 nearer (113 turns and 6e-5 rad). Up to nCtx ≤ π/ω of the
// fastest plane the sum falls with |m|, and the gap is at m = 1.
func (w Waves) Gap(planes []int, nCtx int) (gap float64, at int) {
	gap = math.Inf(1)
	for m := 1; m < nCtx; m++ {
		below := 0.0
		for _, k := range planes {
			s := math.Sin(float64(m) * w.Frequency(k) / 2)
			below += 2 * s * s // 1 − cos, with its digits
		}
		if below < gap {
			gap, at = below, m
		}
	}
	return gap, at
}

// Peaked returns turns that give a source offset positions back all attention of a head
// but elsewhere, in contexts of nCtx tokens: the same score in each plane, and the least
// that will do (see [Waves.Elsewhere]). With a gap g between the peak and all other
// sources, (ln(nCtx/elsewhere))/g nats in each plane are enough.
//
// A position that has no source offset back attends to the nearest there is, the first,
// if the fastest plane is [Waves.Slower] than π/nCtx, so that scores fall with the
// distance from the peak.
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

// scaled returns turns with their nats times a factor.
func scaled(turns []Turn, factor float64) []Turn {
	for i := range turns {
		turns[i].Nats *= factor
	}
	return turns
}

// latest is the frequency of the plane that tells the latest source: slow enough for the
// sine not to flatten, (n_ctx·ω ≤ 1).
func (w Waves) latest(nCtx int) int { return w.Slower(1 / float64(nCtx)) }

// Latest returns a turn by which each source scores at least step nats more than the one
// before it, in contexts of nCtx tokens, and how much the latest scores above the
// earliest at most. In the plane of ω ≤ 1/nCtx it adds −N·sin((i − j)·ω), whose
// difference from source to source is N·ω·cos(nCtx·ω) at least.
func (w Waves) Latest(nCtx int, step float64) (turn Turn, span float64) {
	k := w.latest(nCtx)
	omega := w.Frequency(k)
	nats := step / (omega * math.Cos(float64(nCtx)*omega))
	return Turn{k, -math.Pi / (2 * omega), nats}, nats * math.Sin(float64(nCtx)*omega)
}

// LastOf returns scores and turns of a head that looks at the latest source that has one
// of marks, and at the latest source of all where none has one, in contexts of nCtx
// tokens. At most elsewhere of its attention is on others.
//
// With s = ln((nCtx + 2)/elsewhere) a source scores s more than the one before it, and a
// mark s more than all of that.
func (w Waves) LastOf(marks []string, nCtx int, elsewhere float64) ([]Score, []Turn) {
	step := math.Log(float64(nCtx+2) / elsewhere)
	turn, span := w.Latest(nCtx, step)
	bonus := span + step
	if w.Kind == Rotary { // a score without a turn falls as the slowest plane turns
		bonus /= math.Cos(float64(nCtx) * w.Frequency(w.Planes()-1))
	}
	scores := make([]Score, len(marks))
	for i, mark := range marks {
		scores[i] = Score{Always, mark, bonus}
	}
	return scores, []Turn{turn}
}

// scores writes a turn of sinusoidal planes as scores of their columns: for one plane
//
//	cos((i − j − o)ω) = (sin iω)·(cos oω·sin jω + sin oω·cos jω)
//	                  + (cos iω)·(cos oω·cos jω − sin oω·sin jω),
//
// so that W_Q is the identity on the plane and W_K the rotation that takes position j to
// j + o (EE269 2026, “Why Sin and Cos for Positions: Relative Shifts”), times Nats.
func (t Turn) scores(w Waves) []Score {
	sin, cos := math.Sincos(t.Offset * w.Frequency(t.Plane))
	s, c := Sine(t.Plane), Cosine(t.Plane)
	return []Score{{s, s, t.Nats * cos}, {s, c, t.Nats * sin}, {c, c, t.Nats * cos}, {c, s, -t.Nats * sin}}
}

// lowered returns a design with sinusoidal positions in which turns are scores.
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

// check returns an error where waves do not fit a design.
func (w Waves) check(d Design) error {
	switch {
	case w.Kind == "" && w.Width != 0:
		return fmt.Errorf("waves of width %d have no kind; give %s or %s", w.Width, Sinusoidal, Rotary)
	case w.Kind == "":
		return d.eachTurn(func(Head, Turn) error {
			return fmt.Errorf("a head turns planes of positions, and there are none; give Waves")
		})
	case w.Kind != Sinusoidal && w.Kind != Rotary:
		return fmt.Errorf("waves are %q; give %s or %s", w.Kind, Sinusoidal, Rotary)
	case w.Width < 2 || w.Width%2 != 0:
		return fmt.Errorf("waves have a width of %d; give an even one, of 2 at least", w.Width)
	case d.Positions != nil || w.Kind == Sinusoidal && d.Directions != nil:
		return fmt.Errorf("a design with %s waves has Positions or Directions of its own; leave them out", w.Kind)
	}
	if err := w.checkWidths(d); err != nil {
		return err
	}
	return d.eachTurn(func(h Head, t Turn) error {
		planes := w.Planes()
		if w.Kind == Rotary {
			planes -= len(h.queries()) // which take the slowest
		}
		if t.Plane < 0 || t.Plane >= planes {
			return fmt.Errorf("a head turns plane %d of the %d that %s positions of width %d leave it",
				t.Plane, planes, w.Kind, w.Width)
		}
		return nil
	})
}

// checkWidths returns an error where a head needs more than the dimensions that rotary
// positions turn.
func (w Waves) checkWidths(d Design) error {
	for _, b := range d.Blocks {
		for _, h := range b.Heads {
			if need := max(len(h.targets()), 2*len(h.queries())); w.Kind == Rotary && need > w.Width {
				return fmt.Errorf("a head needs %d dimensions, and those of rotary positions have %d", need, w.Width)
			}
		}
	}
	return nil
}

// eachTurn calls check with the turns of all heads, and returns its first error.
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

// amongSinusoids lays directions into the residual stream, where they are orthogonal to
// every sinusoidal position.
func (w Waves) amongSinusoids(names []string, nCtx int) (basis, error) {
	if need := nCtx + len(names); w.Width < need {
		return basis{}, fmt.Errorf("%d directions beside %d sinusoidal positions need a width of %d, not %d",
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

// vector returns what a direction is read along. That of a column of the sinusoidal
// positions is its axis less what the named directions have of it.
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
