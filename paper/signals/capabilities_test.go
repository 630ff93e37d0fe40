package signals

import (
	"reflect"
	"slices"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
)

// markedAs are models of a capability, one seed for each share of the GPT's gain over the
// guess that the best flat model has.
func markedAs(of capability, shares ...float64) compareFlat {
	c := compareFlat{
		capability: of, flats: flatModels[:2], guess: 0.2, judged: 10_000,
		models: claim.BySeed[flatFound]{Name: of.title},
	}
	for i, share := range shares {
		c.models.Models = append(c.models.Models, claim.Seeded[flatFound]{Seed: i + 1, Found: flatFound{
			gpt: 0.8, flats: []float64{0.1, 0.2 + 0.6*share}, gain: []float64{0, 0},
		}})
	}
	return c
}

func TestCapabilitiesAreJudged(t *testing.T) {
	retrieval, pattern := printedCapabilities[3], printedCapabilities[0]
	claimtest.Rule(t, capable.judge, []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open},
		[]claimtest.Case[capable]{
			{Name: "as printed", M: capable{markedAs(retrieval, 0.3, 0.49), markedAs(pattern, 1, 0.99)}, Want: claim.Holds},
			{Name: "half", M: capable{markedAs(retrieval, 0.6, 0.51)}, Want: claim.Fails},
			{Name: "one of two", M: capable{markedAs(retrieval, 0.3), markedAs(pattern, 0.98)}, Want: claim.Differs},
			{Name: "one seed of two", M: capable{markedAs(retrieval, 0.3, 0.6)}, Want: claim.Open},
			{Name: "no model", M: capable{markedAs(retrieval)}, Want: claim.Open},
		})
	for share, want := range map[float64]mark{-0.1: unable, 0.49: unable, 0.5: partially, 0.98: partially, 0.99: able, 1.1: able} {
		if got := markOf(share); got != want {
			t.Errorf("%g: %s, want %s", share, got, want)
		}
	}
}

// A GPT at its guess, and a flat model that would reach the next mark, are not judged.
func TestCapabilitiesConverge(t *testing.T) {
	for name, change := range map[string]func(f *flatFound){
		"the GPT is at its guess":   func(f *flatFound) { f.gpt = 0.201 },
		"a flat model still gains":  func(f *flatFound) { f.gain[1] = 0.13 },
		"it gains towards all":      func(f *flatFound) { f.flats[1], f.gain[1] = 0.7, 0.1 },
		"the linear model gains it": func(f *flatFound) { f.gain[0] = 0.5 },
	} {
		c := markedAs(printedCapabilities[3], 0.3)
		if c.converge(); c.models.Why() != "" {
			t.Errorf("at rest: %s", c.models.Why())
		}
		change(&c.models.Models[0].Found)
		if c.converge(); c.condition().Verdict != claim.Open {
			t.Errorf("%s: %s", name, c.condition().Verdict)
		}
	}
}

// The trainings differ from those of S13 by the model alone.
func TestFlatModelsHaveTheSetting(t *testing.T) {
	names := map[string]bool{}
	for _, s := range allSignals {
		for _, of := range append(slices.Clone(flatModels), widerModel) {
			flat, with := s.flat(of, 2), s.solving(2)
			if names[flat.Name] {
				t.Errorf("two trainings %s", flat.Name)
			}
			names[flat.Name] = true
			if flat.Config.Train.LR != with.Config.Train.LR || flat.Config.Train.NumSteps != with.Config.Train.NumSteps ||
				flat.Config.Train.LossPositions != nil || !flat.Config.Model.Flat() {
				t.Errorf("%s: %+v", flat.Name, flat.Config)
			}
			if _, err := flat.Config.Resolve(); err != nil {
				t.Errorf("%s: %v", flat.Name, err)
			}
		}
		for _, of := range lessers {
			less, with := s.without(of, 2), s.solving(2)
			if names[less.Name] {
				t.Errorf("two trainings %s", less.Name)
			}
			names[less.Name] = true
			if _, err := less.Config.Resolve(); err != nil {
				t.Errorf("%s: %v", less.Name, err)
			}
			if reflect.DeepEqual(less.Config.Model, with.Config.Model) {
				t.Errorf("%s is the same model", less.Name)
			}
			less.Config.Model = with.Config.Model
			if !reflect.DeepEqual(less.Config, with.Config) {
				t.Errorf("%s differs by more than the model", less.Name)
			}
		}
	}
}
