package process

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// implied returns the exact probability of each of n outcomes when u is uniform.
func (t *aliasTable) implied(n int) []*big.Rat {
	p := make([]*big.Rat, n)
	for k := range p {
		p[k] = new(big.Rat)
	}
	buckets := big.NewRat(1, int64(len(t.outcome)))
	for b := range t.outcome {
		own := new(big.Rat).SetFrac(new(big.Int).SetUint64(t.threshold[b]), new(big.Int).Lsh(big.NewInt(1), 64))
		rest := new(big.Rat).Sub(big.NewRat(1, 1), own)
		p[t.outcome[b]].Add(p[t.outcome[b]], own.Mul(own, buckets))
		p[t.alias[b]].Add(p[t.alias[b]], rest.Mul(rest, buckets))
	}
	return p
}

func impliesItsWeights(t interface {
	Fatalf(string, ...any)
}, weights []float64,
) {
	table := newAliasTable(weights)
	for k, p := range table.implied(len(weights)) {
		want := new(big.Rat)
		want.SetFloat64(weights[k])
		off, _ := new(big.Rat).Sub(p, want).Float64()
		if math.Abs(off) > 0x1p-50 {
			t.Fatalf("outcome %d of %d has probability %v, %g from the one given", k, len(weights), p.FloatString(20), off)
		}
		if weights[k] == 0 && p.Sign() != 0 {
			t.Fatalf("outcome %d has no weight and probability %v", k, p)
		}
	}
}

// The probabilities that a table implies are the given ones to 2⁻⁵⁰, zeros and
// weights of very different size included.
func TestAliasTableIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exponent := rapid.IntRange(-70, 0)
		mantissa := rapid.Float64Range(0, 1)
		n := rapid.IntRange(1, 100).Draw(t, "outcomes")
		weights, total := make([]float64, n), 0.0
		for k := range weights {
			if rapid.IntRange(0, 3).Draw(t, "kind") > 0 {
				weights[k] = math.Ldexp(mantissa.Draw(t, "mantissa"), exponent.Draw(t, "exponent"))
			}
			total += weights[k]
		}
		if total == 0 {
			weights[0], total = 1, 1
		}
		for k := range weights {
			weights[k] /= total
		}
		impliesItsWeights(t, weights)
	})
}

// In a uniform distribution all weights round the same way, which leaves the most
// units over.
func TestAliasTableOfUniformWeights(t *testing.T) {
	for n := 1; n <= 300; n++ {
		weights := make([]float64, n)
		for k := range weights {
			weights[k] = 1 / float64(n)
		}
		impliesItsWeights(t, weights)
	}
}

func TestAliasTablesOfTheZoo(t *testing.T) {
	for _, row := range zoo {
		p, err := Build(row.name, row.params)
		if err != nil {
			t.Fatal(err)
		}
		h, ok := p.(*HMM)
		if !ok || h.Generalised() {
			continue // no table samples it
		}
		n := h.NumStates()
		impliesItsWeights(t, h.pi)
		for i := range h.stateTables {
			var weights []float64
			for _, m := range h.matrices {
				weights = append(weights, m[i*n:(i+1)*n]...)
			}
			impliesItsWeights(t, weights)
		}
	}
}

// draw splits the 2⁶⁴ numbers as the table says: the first of a bucket gets its own
// outcome unless it has none, the last one its alias.
func TestAliasDraw(t *testing.T) {
	table := newAliasTable([]float64{0.5, 0, 0.125, 0.375})
	counts := make([]float64, 4)
	const draws = 1 << 16
	for k := range uint64(draws) {
		counts[table.draw(k<<48)]++
	}
	for k, want := range []float64{0.5, 0, 0.125, 0.375} {
		// An even comb of numbers misses each threshold by at most one tooth.
		if math.Abs(counts[k]-want*draws) > 3 {
			t.Errorf("outcome %d came %g times of %d", k, counts[k], draws)
		}
	}
	if got := table.draw(math.MaxUint64); counts[got] == 0 {
		t.Errorf("the last number gives outcome %d", got)
	}
}

func BenchmarkSample(b *testing.B) {
	h := mustMess3(b, 0.15, 0.6)
	dst := make([]int32, 1000)
	src := &counterSource{}
	b.SetBytes(int64(len(dst)))
	for b.Loop() {
		h.Sample(dst, src)
	}
}

// counterSource is a source that costs next to nothing: a Weyl sequence.
type counterSource struct{ at uint64 }

func (c *counterSource) Uint64() uint64 { c.at += 0x9e3779b97f4a7c15; return c.at }
