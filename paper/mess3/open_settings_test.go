package mess3

import (
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// ruledOf is a model with the verdicts of rules on it.
func ruledOf(unconverged string, verdicts ...claim.Verdict) ruled {
	r := ruled{name: "some setting", unconverged: unconverged}
	for i, v := range verdicts {
		r.rows = append(r.rows, ruledRow{string(rune('A' + i)), v, claim.Exactly("a number", "", 1)})
	}
	return r
}

func TestOpenSettingsRule(t *testing.T) {
	of := ruledOf
	own := of("", claim.Holds, claim.Differs)
	same, moved, resting := of("", claim.Holds, claim.Differs), of("", claim.Fails, claim.Differs), of("it rests", claim.Fails, claim.Fails)
	with := func(own ruled, varied ...ruled) settings {
		for i := range varied {
			varied[i].name += string(rune('1' + i))
		}
		return settings{{Source: figure2, models: append([]ruled{own}, varied...)}}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Open}
	claimtest.Rule(t, settings.judge, verdicts, []claimtest.Case[settings]{
		{Name: "nothing moves", M: with(own, same, same), Want: claim.Holds},
		{Name: "one rule says something else", M: with(own, same, moved), Want: claim.Differs},
		{Name: "everything moves", M: with(own, moved, moved), Want: claim.Differs},
		{Name: "one setting does not converge", M: with(own, same, resting), Want: claim.Holds},
		{Name: "none converges", M: with(own, resting), Want: claim.Open},
		{Name: "not even as it is", M: with(resting, same), Want: claim.Open},
	})
}

// Each setting is changed alone, in a folder of its own.
func TestVariedModels(t *testing.T) {
	p, folders := full(), []string{}
	for _, c := range p.variedModels() {
		of := c.Training()
		if slices.Contains(folders, of.Name) || of.Snapshots != nil || c.Seed != p.headline[0] {
			t.Errorf("%s, seed %d, keeps %v", of.Name, c.Seed, of.Snapshots)
		}
		folders = append(folders, of.Name)
	}
	if len(folders) != 2*len(variants) {
		t.Errorf("%d models", len(folders))
	}
	if quick().variedModels() != nil {
		t.Error("the quick profile varies settings")
	}
}
