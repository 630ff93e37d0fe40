package craft

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/strict"
)

// basis holds, for each direction of a design, its vector in the residual stream.
type basis struct {
	width   int
	vectors map[string][]float64 // the vector of each direction, of length width, by name
	order   []string             // the names in vectors, in the order in which the directions are first written to
	columns map[string]int       // index of each sinusoidal column, by name
}

// orthogonal is the largest allowed magnitude of the inner product of two directions, and
// the largest allowed difference of a direction's norm from 1.
const orthogonal = 1e-9

// basis assigns each direction its vector. It checks that the directions do not
// interfere, and that everything that is read has been written.
func (d Design) basis() (basis, error) {
	names, err := d.ownDirections()
	if err != nil {
		return basis{}, err
	}
	if err := d.checkReads(); err != nil {
		return basis{}, err
	}
	if d.Waves.Kind == Sinusoidal {
		return d.Waves.amongSinusoids(names, d.NCtx)
	}
	b := basis{width: len(names), vectors: map[string][]float64{}}
	if d.Directions == nil {
		for i, name := range names {
			b.vectors[name] = make([]float64, len(names))
			b.vectors[name][i] = 1
		}
		return b, nil
	}
	b.width = len(d.Directions[0].Vector)
	for i, a := range d.Directions {
		if len(a.Vector) != b.width {
			return basis{}, fmt.Errorf("direction %q has %d coordinates, but %q has %d",
				a.Name, len(a.Vector), d.Directions[0].Name, b.width)
		}
		if norm := math.Sqrt(dot(a.Vector, a.Vector)); !(math.Abs(norm-1) <= orthogonal) {
			return basis{}, fmt.Errorf("direction %q has length %.6g; give a unit vector", a.Name, norm)
		}
		for _, earlier := range d.Directions[:i] {
			if cosine := dot(earlier.Vector, a.Vector); math.Abs(cosine) > orthogonal {
				return basis{}, fmt.Errorf("directions %q and %q overlap: their cosine is %.6g, "+
					"so writing to one changes the other; make them orthogonal", earlier.Name, a.Name, cosine)
			}
		}
		b.vectors[a.Name] = a.Vector
	}
	for _, name := range names {
		if b.vectors[name] == nil {
			return basis{}, fmt.Errorf("direction %q is written to, but Directions does not list it; add it there", name)
		}
	}
	return b, nil
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// ownDirections returns the names of the directions that the design creates, in the order
// in which they are first written to. It returns an error if two different parts of the
// forward pass write to the same direction. Heads of one layer may write to the same
// direction, and so may the functions and rules of one MLP, because their outputs add up.
func (d Design) ownDirections() (names []string, err error) {
	owner := map[string]stage{}
	for _, name := range d.columns() {
		owner[name] = "the positional embedding"
	}
	visit := func(by stage, name string) {
		switch first, known := owner[name]; {
		case err != nil:
		case name == Always:
			err = fmt.Errorf("%s writes to a direction without a name; give it a name", by)
		case !known:
			owner[name] = by
			names = append(names, name)
		case first != by:
			err = fmt.Errorf("direction %q is written to by %s and by %s, so neither could be read alone; "+
				"use a separate direction for one of them", name, first, by)
		}
	}
	d.writes(visit)
	for _, list := range [][]string{d.Tokens, d.Positions} {
		for i, name := range list {
			if err == nil && slices.Contains(list[:i], name) {
				err = fmt.Errorf("direction %q stands for two tokens or two positions; give each its own direction", name)
			}
		}
	}
	if err == nil && d.Positions != nil && len(d.Positions) != d.NCtx {
		err = fmt.Errorf("%d position directions for a context of %d tokens; give one for each",
			len(d.Positions), d.NCtx)
	}
	return names, err
}

// columns returns the names of the sinusoidal columns that can be read.
func (d Design) columns() (names []string) {
	if d.Waves.Kind != Sinusoidal {
		return nil
	}
	for k := range d.Waves.Planes() {
		names = append(names, Sine(k), Cosine(k))
	}
	return names
}

func attentionOf(block int) stage { return stage(fmt.Sprintf("the attention of block %d", block)) }
func mlpOf(block int) stage       { return stage(fmt.Sprintf("the MLP of block %d", block)) }

// checkReads returns an error if a direction is read before anything has written to it,
// or if the unembedding writes to a name that is not a token.
func (d Design) checkReads() (err error) {
	known := slices.Concat(d.Tokens, d.Positions, d.columns())
	read := func(by stage, names ...string) {
		for _, name := range names {
			if err == nil && name != Always && !slices.Contains(known, name) {
				err = fmt.Errorf("%s reads %q, which nothing before it writes: %s", by, name, strict.Name(name, known, mostNames))
			}
		}
	}
	for i, b := range d.Blocks {
		for _, h := range b.Heads {
			for _, s := range h.Attend {
				read(attentionOf(i), s.Query, s.Key)
			}
			for _, m := range h.Move {
				read(attentionOf(i), m.From)
			}
		}
		for _, h := range b.Heads {
			known = append(known, h.targets()...)
		}
		for _, a := range b.Functions {
			read(mlpOf(i), a.From)
		}
		for _, r := range b.Rules {
			read(mlpOf(i), r.If...)
			read(mlpOf(i), r.Unless...)
		}
		for _, a := range b.Functions {
			known = append(known, a.To)
		}
		for _, r := range b.Rules {
			known = append(known, r.To)
		}
	}
	for _, l := range d.Logits {
		read("the unembedding", l.From)
		if err == nil && d.token(l.To) < 0 {
			err = fmt.Errorf("the unembedding writes to the logit of %q, which is not a token: %s",
				l.To, strict.Name(l.To, d.Tokens, mostNames))
		}
	}
	return err
}

func (d Design) token(name string) int { return slices.Index(d.Tokens, name) }

// mostNames is the largest number of names in an error about an unknown name.
const mostNames = 8
