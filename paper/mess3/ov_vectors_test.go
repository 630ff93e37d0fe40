package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestOVVectorsRule(t *testing.T) {
	model := func(least, middle, length float64) mover {
		return mover{main: true, cosines: summary{least: least, median: middle}, lengths: summary{median: length}}
	}
	of := func(models ...mover) movers { return movers{models: models} }
	good, other := model(0.99, 0.999, 1.1), mover{}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails}
	claimtest.Rule(t, movers.judge, verdicts, []claimtest.Case[movers]{
		{Name: "as stated", M: of(good, good), Want: claim.Holds},
		{Name: "the other normalisation does not count", M: of(good, other), Want: claim.Holds},
		{Name: "at each threshold, longer", M: of(model(0.95, 0.95, 1.2)), Want: claim.Holds},
		{Name: "at each threshold, shorter", M: of(model(0.95, 0.95, 0.8)), Want: claim.Holds},
		{Name: "one of another direction", M: of(good, model(0.949, 0.99, 1)), Want: claim.Differs},
		{Name: "too long", M: of(good, model(0.99, 0.99, 1.21)), Want: claim.Differs},
		{Name: "too short", M: of(good, model(0.99, 0.99, 0.79)), Want: claim.Differs},
		{Name: "the median at its threshold", M: of(model(-1, 0.9, 9)), Want: claim.Differs},
		{Name: "most of another direction", M: of(good, model(-1, 0.899, 1)), Want: claim.Fails},
	})
}

// Lengths have no correlation where each token has one; otherwise it is Pearson's.
func TestLengthCorrelation(t *testing.T) {
	vectors := func(measured ...float64) (list []ovVector) {
		for i, length := range measured {
			list = append(list, ovVector{token: i % 2, measured: point{0, length}, predicted: point{float64(i + 1), 0}})
		}
		return list
	}
	for _, test := range []struct {
		vectors []ovVector
		want    string
	}{
		{vectors(1, 2, 1, 2), "equal lengths"},
		{vectors(1, 2, 1.0001, 2), "equal lengths"},
		{vectors(2, 4, 6, 8), "1.000"},
		{vectors(8, 6, 4, 2), "-1.000"},
		{vectors(1, 3, 3, 1), "0.000"},
	} {
		if got := lengthCorrelation(test.vectors); got != test.want {
			t.Errorf("%v: %s, want %s", test.vectors, got, test.want)
		}
	}
}
