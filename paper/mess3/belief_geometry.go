package mess3

import (
	"context"
	"fmt"
	"math"

	"foretell/claim"
	"foretell/figure"
	"foretell/internal/linalg"
	"foretell/paper/internal/trained"
	"foretell/process"

	"gonum.org/v1/gonum/floats"
)

// The rule of M1 and M3: the largest difference at which two ways to compute a belief
// count as agreeing, and the length of the longest sequences that are compared.
const (
	exact    = 1e-12
	compared = 8 // tokens
)

// beliefGeometry is M1: Piotrowski et al. 2025, Fig. 1B, Eq. 2 and 25.
func beliefGeometry() claim.Row {
	return texts.Fill(claim.Row{
		ID: "M1", Kind: claim.Identity,
		Test: claim.Steps[geometries]{
			Measure: measureGeometries, Judge: geometries.judge, Draw: geometries.draw,
		}.Test,
	}, map[string]any{"exact": exact})
}

// geometries holds the belief geometries of the paper's processes.
type geometries []geometry

// geometry is the belief geometry of one process.
type geometry struct {
	trained.Source
	prefixes *process.Prefixes
	words    int     // number of sequences compared
	off      float64 // largest difference between Eq. 25 and the recursion of Eq. 24
}

func measureGeometries(ctx context.Context, _ *claim.Study) (geometries, error) {
	var found geometries
	for _, on := range sources {
		h, err := on.HMM()
		if err != nil {
			return nil, err
		}
		words, err := h.Prefixes(ctx, trained.NCtx)
		if err != nil {
			return nil, err
		}
		g := geometry{Source: on, prefixes: words}
		_, g.words = g.prefixes.Range(compared)
		for row := range g.words {
			product := productBelief(h, g.prefixes.Tokens(row))
			g.off = max(g.off, floats.Distance(g.prefixes.Belief(row), product, math.Inf(1)))
		}
		found = append(found, g)
	}
	return found, ctx.Err()
}

// productBelief computes Eq. 25 literally: the product of the labelled matrices, applied
// to π and normalised once.
func productBelief(h *process.HMM, word []int32) []float64 {
	n := h.NumStates()
	product := make([]float64, n*n)
	for i := range n {
		product[i*n+i] = 1
	}
	for _, z := range word {
		next := make([]float64, n*n)
		for i := 0; i < len(next); i += n {
			linalg.VecMul(next[i:i+n], product[i:i+n], h.Transition(int(z)))
		}
		product = next
	}
	pi, total := h.Stationary(), 0.0
	for i, p := range product {
		total += pi[i/n] * p
	}
	belief := linalg.VecMul(make([]float64, n), pi, product)
	for j := range belief {
		belief[j] /= total
	}
	return belief
}

func (m geometries) judge() claim.Finding {
	off, words := 0.0, 0
	for _, g := range m {
		off, words = max(off, g.off), words+g.words
	}
	return claim.Finding{
		Verdict: claim.HoldsIf(off <= exact),
		Obtained: fmt.Sprintf("largest difference %.1e over %d sequences of up to %d tokens, four processes",
			off, words, compared),
	}
}

func (m geometries) draw(out *claim.Output) {
	var panels []figure.Panel
	var arrays []claim.Array
	var words []sequences
	for _, g := range m {
		words = append(words, sequences{g.Source, g.prefixes})
		panels = append(panels, figure.Simplex{
			Title: g.String(), P: cut(g.prefixes.Beliefs, 3), Vertices: [3]string{"state 0", "state 1", "state 2"},
		})
		arrays = append(arrays, array(g.Source, "beliefs", 3, g.prefixes.Beliefs))
	}
	out.Figure("beliefs", figure.Row("Belief geometries of Mess3",
		"Four triangles with the beliefs of all sequences of up to ten tokens; each is a self-similar "+
			"set of points.", panels...))
	out.Arrays("beliefs", append(arrays, wordArrays(words)...))
}
