package entropy

import (
	"fmt"

	"foretell/claim"
)

// best counts the sources on which each estimator has the smallest root mean squared
// error at a length. The first of equals counts.
func (m measured) best(length int) (wins [estimators]int) {
	for _, c := range m.cells() {
		if c.length != length {
			continue
		}
		first := compared[0]
		for _, estimator := range compared {
			if c.rmse(estimator) < c.rmse(first) {
				first = estimator
			}
		}
		wins[first]++
	}
	return wins
}

// judgeFirstAccuracy is the first rule of E3.
func (m measured) judgeFirstAccuracy() claim.Finding {
	var conditions []claim.Condition
	for i, n := range m.lengths {
		wins := m.best(i)
		rival := compared[1]
		for _, estimator := range compared[1:] {
			if wins[estimator] > wins[rival] {
				rival = estimator
			}
		}
		of := len(m.sources)
		c := claim.Condition{
			Name: symbols(n), Converged: true, Verdict: claim.Fails,
			Obtained: fmt.Sprintf("the tree is the most accurate on %d of %d sources, %s on %d",
				wins[byTree], of, names[rival], wins[rival]),
		}
		switch {
		case 2*wins[byTree] >= of:
			c.Verdict = claim.Holds
		case wins[byTree] > wins[rival]:
			c.Verdict, c.Reason = claim.Differs, claim.Size
		}
		conditions = append(conditions, c)
	}
	return claim.NewFinding(conditions)
}

// judgeFirstCoverage is the first rule of E5, which also judged sources whose rate is the
// logarithm of the number of symbols.
func (m measured) judgeFirstCoverage() claim.Finding {
	return claim.NewFinding(m.coverageConditions(m.uncertain))
}
