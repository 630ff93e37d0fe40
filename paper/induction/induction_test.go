package induction

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// Rows have their words and ids of their own.
func TestTexts(t *testing.T) {
	for _, p := range claim.Profiles {
		claimtest.Published(t, Paper.Rows(p))
	}
}

// converged returns models that have converged, numbered as their seeds.
func converged[M any](models ...M) (g claim.BySeed[M]) {
	g.Name = "trained"
	for i, m := range models {
		g.Models = append(g.Models, claim.Seeded[M]{Seed: i + 1, Found: m})
	}
	return g
}

// tiny trains next to nothing, on short sequences: what comes out is no claim about the
// paper but goes through the same rows.
func tiny() profile {
	p := quick()
	p.name, p.setting, p.heldOut = "tiny", "tiny profile", 8
	p.effort = effort{matrices: 2, sequences: 50, length: 60, exact: 1, starts: 4}
	for _, r := range []*recipe{&p.standard, &p.disentangled, &p.plain, &p.paper} {
		*r = r.sized(32, 20, 8)
		r.width, r.warmup, r.evaluated, r.evaluate = min(r.width, 16), min(r.warmup, 5), 8, 10
	}
	return p
}

// A whole study: each row ends in a verdict with the files that it names.
func TestReproduce(t *testing.T) {
	rows := newLab(tiny()).rows()
	s := &claim.Study{Out: t.TempDir(), Workers: 2}
	claims, err := s.Reproduce(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range claims {
		claimtest.Claim(t, s.Out, rows[i], c)
	}
}
