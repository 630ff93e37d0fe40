package mess3

import (
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/paper/internal/trained"
)

// Table 1 as printed: eight columns, a stage and a condition each, of shares that
// rise to at most 1.
func TestTable1(t *testing.T) {
	if len(table1) != 8 {
		t.Fatalf("%d columns", len(table1))
	}
	type column struct {
		stage  string
		source trained.Source
	}
	seen := map[column]bool{}
	for _, c := range table1 {
		seen[column{c.stage, c.source}] = true
		for k, v := range c.printed {
			if v <= 0 || v > 1 || k > 0 && v <= c.printed[k-1] {
				t.Errorf("%s, %v: component %d has %v", c.stage, c.source, k, v)
			}
		}
	}
	for _, stage := range []string{"intermediate", "final"} {
		for _, condition := range tiny().paperModels() {
			if !seen[column{stage, condition.Source}] {
				t.Errorf("%s, %v is not in the table", stage, condition)
			}
		}
	}
}

// A cell of M13 shows the difference that its rule is about.
func TestBesidePrinted(t *testing.T) {
	for _, test := range []struct {
		ours, printed float64
		want          string
	}{{0.5, 0.5408, "0.5000 (0.5408; −0.0408)"}, {0.9, 0.8768, "0.9000 (0.8768; +0.0232)"}} {
		if got := besidePrinted(test.ours, test.printed); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// printedAgain is Table 1 as printed, but for a difference in each cell and one more in
// the last.
func printedAgain(each, last float64) varianceTable {
	var table varianceTable
	for _, c := range table1 {
		words := slices.Clone(c.printed[:])
		for k := range words {
			words[k] += each
		}
		table.columns = append(table.columns, varianceColumn{printedColumn: c, words: words})
	}
	table.columns[7].words[6] += last
	return table
}

func TestExplainedVarianceRule(t *testing.T) {
	good, bad := printedAgain(0, 0), printedAgain(-0.3, 0)
	of := func(tables ...varianceTable) variances { return variances{tables: tables} }
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, variances.judge, verdicts, []claimtest.Case[variances]{
		{Name: "as printed", M: of(good), Want: claim.Holds},
		{Name: "the other normalisation does not count", M: of(good, bad), Want: claim.Holds},
		{Name: "all a little off", M: of(printedAgain(-0.049, 0)), Want: claim.Holds},
		{Name: "one cell off", M: of(printedAgain(0, -0.051)), Want: claim.Differs},
		{Name: "all hardly near", M: of(printedAgain(-0.199, 0)), Want: claim.Differs},
		{Name: "all far off", M: of(printedAgain(-0.201, 0)), Want: claim.Fails},
	})
}

// Three components explain more than 90 % in six of the eight printed columns: in all but
// those of x = 0.5 and α = 0.6. A tenth less is too little in each.
func TestFewDimensions(t *testing.T) {
	ours, printed := printedAgain(-0.1, 0).fewDimensions()
	if ours != 0 || printed != 6 {
		t.Errorf("%d of ours and %d of the printed columns", ours, printed)
	}
}
