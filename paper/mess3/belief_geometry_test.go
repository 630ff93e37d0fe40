package mess3

import (
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

func TestBeliefGeometryRule(t *testing.T) {
	claimtest.Rule(t, geometries.judge, []claim.Verdict{claim.Holds, claim.Fails}, []claimtest.Case[geometries]{
		{Name: "rounding", M: geometries{{off: exact}, {}}, Want: claim.Holds},
		{Name: "one process off", M: geometries{{}, {off: 1.01 * exact}}, Want: claim.Fails},
	})
}
