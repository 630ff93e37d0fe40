package beliefs

import (
	"strings"
	"testing"

	"foretell/claim"
	"foretell/claim/claimtest"
	"foretell/probe"
)

// moveTo is a process whose last stage is moved the likeliest way, left alone, or moved
// as far at random, by as many seeds as there are.
func moveTo(name string, along, unchanged, random []float64) steered {
	p := steered{stages: []string{"first", "last"}}
	p.Name = name
	for i := range along {
		p.Models = append(p.Models, claim.Seeded[[]probe.SteeredStage]{
			Seed: i + 1, Found: []probe.SteeredStage{{}, steeredTo(along[i], unchanged[i], random[i])},
			Random: []probe.SteeredStage{steeredTo(1, 1, 1)},
		})
	}
	return p
}

// steeredTo is a stage with these divergences. The shortest change has no say.
func steeredTo(along, unchanged, random float64) probe.SteeredStage {
	return probe.SteeredStage{Spread: 1, Steered: &probe.Steered{
		Unchanged: probe.Estimate{Mean: unchanged}, Likeliest: movedBy(along, random, 1), Shortest: movedBy(9, 0, 1),
	}}
}

func movedBy(along, random, distance float64) probe.Moved {
	return probe.Moved{
		Along: probe.Estimate{Mean: along}, Random: probe.Estimate{Mean: random},
		Distance: probe.Estimate{Mean: distance},
	}
}

func TestSteeringRule(t *testing.T) {
	process := func(name string, along, unchanged, random float64) steered {
		return moveTo(name, []float64{along, 1.01 * along}, []float64{unchanged, unchanged}, []float64{random, random})
	}
	of := func(processes ...steered) interventions { return interventions(processes) }
	good := process("good", 1, 4, 2)
	one := moveTo("one model", []float64{1}, []float64{4}, []float64{2})
	resting := process("resting", 1, 4, 2)
	for i := range resting.Models {
		resting.Models[i].Unconverged = "it rests"
	}
	partly := moveTo("partly", []float64{1, 1.01, 9}, []float64{4, 4, 4}, []float64{2, 2, 2})
	partly.Models[2].Unconverged = "it rests"
	untrained := process("untrained", 1, 4, 2)
	for i, share := range []float64{0.3, 0.6} {
		untrained.Models[i].Random = []probe.SteeredStage{steeredTo(share, 1, 1)}
	}
	verdicts := []claim.Verdict{claim.Holds, claim.Differs, claim.Fails, claim.Open}
	claimtest.Rule(t, interventions.judge, verdicts, []claimtest.Case[interventions]{
		{Name: "less than half in both", M: of(good, process("other", 1, 2.1, 3)), Want: claim.Holds},
		{Name: "more than half in one", M: of(good, process("other", 1, 1.5, 3)), Want: claim.Differs},
		{Name: "more than half in both", M: of(process("a", 1, 1.5, 3), process("b", 1, 1.4, 3)), Want: claim.Differs},
		{Name: "random is better in one", M: of(good, process("other", 1, 4, 0.9)), Want: claim.Differs},
		{Name: "random is better", M: of(process("a", 1, 4, 0.9), process("b", 1, 4, 0.9)), Want: claim.Fails},
		{Name: "worse than nothing", M: of(process("a", 1, 0.9, 2)), Want: claim.Fails},
		{Name: "about half", M: of(process("a", 1, 2, 3)), Want: claim.Open},
		{Name: "as random", M: of(process("a", 1, 4, 1.005)), Want: claim.Open},
		{Name: "one model", M: of(one), Want: claim.Open},
		{Name: "none has converged", M: of(resting), Want: claim.Open},
		{Name: "one process has", M: of(resting, good), Want: claim.Holds},
		{Name: "by those that have", M: of(partly), Want: claim.Holds},
		{Name: "untrained, too", M: of(untrained), Want: claim.Open},
	})
	if found := of(resting).judge(); found.Reason != claim.Untrained {
		t.Errorf("%s for the reason %s", found.Verdict, found.Reason)
	}
}

// The parts that are asked for are those of means over seeds.
func TestSteeringIsAsked(t *testing.T) {
	for _, test := range []struct {
		unchanged, random []float64
		want              [2]claim.Answer
	}{
		{[]float64{1, 7}, []float64{0.5, 3.5}, [2]claim.Answer{claim.Yes, claim.Yes}},
		{[]float64{1, 6.9}, []float64{0.5, 3.5}, [2]claim.Answer{claim.No, claim.Yes}},
		{[]float64{1, 7}, []float64{0.5, 3.4}, [2]claim.Answer{claim.Yes, claim.No}},
	} {
		p := moveTo("a", []float64{0.5, 1.5}, test.unchanged, test.random)
		asked := interventions{p}.judge().Asked
		if got := [2]claim.Answer{asked[0].Answer, asked[1].Answer}; got != test.want {
			t.Errorf("beside %v and %v: %v, want %v", test.unchanged, test.random, got, test.want)
		}
	}
}

// What is found of a stage goes where it belongs, lengths as shares of the spread.
func TestMovedStage(t *testing.T) {
	stage := probe.SteeredStage{Spread: 2, Steered: &probe.Steered{
		Unchanged: probe.Estimate{Mean: 1}, Likeliest: movedBy(2, 3, 4), Shortest: movedBy(5, 6, 8),
	}}
	p := steered{stages: []string{"last"}}
	p.Models = []claim.Seeded[[]probe.SteeredStage]{{Seed: 7, Found: []probe.SteeredStage{stage}}}
	text, err := interventions{p, p}.data().CSV(-1)
	rows := strings.Split(string(text), "\n")
	if want := "1,7,0,1,2,3,2,5,6,4"; err != nil || rows[2] != want {
		t.Fatalf("the file of data has %v, want %v (%v)", rows[2], want, err)
	}
}
