package mess3

import (
	"testing"

	"foretell/internal/random"
	"foretell/probe"
)

// A stage that holds the constrained beliefs beside offsets of its positions is
// explained by them; one of noise is not.
func TestExplained(t *testing.T) {
	p := mess3Words(t, 6)
	s := random.New(1, "test/explained")
	var mixed, noise probe.Table
	mixed.Width, noise.Width = 2, 2
	for row := range p.Rows() {
		position, _ := p.Position(row)
		r := p.ConstrainedBelief(row)
		mixed.Data = append(mixed.Data, 3*r[0]-r[1]+float64(position), r[2]-float64(position*position))
		noise.Data = append(noise.Data, s.Normal(), s.Normal())
	}
	share, err := explained(t.Context(), mixed, p)
	if err != nil {
		t.Fatal(err)
	}
	wantNear(t, "a linear image", share, 1)
	if share, err = explained(t.Context(), noise, p); err != nil || share > 0.1 {
		t.Errorf("noise: R² %v, %v", share, err)
	}
}
