package report

import (
	"strings"
	"testing"

	"foretell/claim"
)

// The guide says of each file of data what its columns and arrays are.
func TestGuide(t *testing.T) {
	r := Report{Claims: []claim.Claim{
		{ID: "M0", Statement: "no data"},
		{
			ID: "B1", Statement: "layer * by layer", Data: []string{"data/B1-stages.csv", "data/B1-planes.npz", "data/B1-walk.txt"},
			Contents: []claim.Content{
				{File: "data/B1-stages.csv", Rows: 12, Columns: []claim.Column{
					{Name: "kl_sd", Meaning: "divergence, nats"}, {Name: "features", Codes: []string{"embed", "all | of them"}},
				}},
				{File: "data/B1-planes.npz", Arrays: []claim.Layout{
					{Name: "words", Shape: []int{120, 4}, Type: "int32", Meaning: "tokens of each row"},
				}},
			},
		},
	}}
	got := string(r.guide(nil))
	for _, want := range []string{
		"\n## B1: layer \\* by layer\n", "\n### B1-stages.csv\n\n12 rows\n",
		"| `kl_sd` | divergence, nats |\n",
		"| `features` | 0 embed, 1 all \\| of them |\n", "\n### B1-walk.txt\n",
		"| `words` | 120 × 4 | int32 | tokens of each row |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "M0") || (Report{}).guide(nil) != nil {
		t.Error("rows without data are in the guide")
	}
}
