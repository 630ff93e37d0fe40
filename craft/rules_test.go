package craft

import (
	"math"
	"slices"
	"testing"

	"foretell/internal/random"
	"foretell/process"
)

// Each direction that a rule reads is 0 or 1 on every sequence of the process, as [Rule]
// demands, and takes both values.
func TestRulesReadZerosAndOnes(t *testing.T) {
	for _, positions := range []string{Sinusoidal, Rotary} {
		signal := Signal{40, positions}
		for name, make := range map[string]func() (Design, process.Process, error){
			"switching delay": func() (Design, process.Process, error) {
				d, err := SwitchingDelay{Delays: []int{1, 3}, Key: 0.2, Values: 4, Signal: signal}.Design()
				if err != nil {
					return d, nil, err
				}
				p, err := process.SwitchingDelay([]int{1, 3}, 0.2, 4)
				return d, p, err
			},
			"routing": func() (Design, process.Process, error) {
				d, err := Routing{Set: 0.2, Apply: 0.3, Numbers: 5, Signal: signal}.Design()
				if err != nil {
					return d, nil, err
				}
				p, err := process.Routing(0.2, 0.3, 5)
				return d, p, err
			},
			"brackets": func() (Design, process.Process, error) {
				d, err := Brackets{Open: 0.3, Close: 0.3, Depth: 3, Tags: 2, NCtx: signal.NCtx}.Design()
				if err != nil {
					return d, nil, err
				}
				p, err := process.Brackets(0.3, 0.3, 3, 2)
				return d, p, err
			},
		} {
			d, p, err := make()
			if err != nil {
				t.Fatal(err)
			}
			checkRules(t, name+" with "+positions, d, p)
		}
	}
}

// checkRules checks the directions that a design's rules read. For each it adds a rule
// that reads this direction alone and writes nothing.
func checkRules(t *testing.T, name string, d Design, p process.Process) {
	t.Helper()
	read := make([][]string, len(d.Blocks))
	for i := range d.Blocks {
		b := &d.Blocks[i]
		for _, r := range b.Rules {
			read[i] = append(read[i], slices.Concat(r.If, r.Unless)...)
		}
		slices.Sort(read[i])
		read[i] = slices.DeleteFunc(slices.Compact(read[i]), func(x string) bool { return x == Always })
		for _, direction := range read[i] {
			b.Rules = append(b.Rules, Rule{If: []string{direction}, To: b.Rules[0].To})
		}
	}
	m, n := build(t, d), d.NCtx
	seen := map[string]map[float64]bool{}
	for k := range 50 {
		tokens := make([]int32, n)
		p.Sample(tokens, random.New(7, "test/rules", uint64(k)))
		_, cache := run(t, m, tokens)
		for i, directions := range read {
			if directions == nil {
				continue
			}
			pre := cache.Get("blocks." + string(rune('0'+i)) + ".mlp.hook_pre").Data
			width, last := len(pre)/n, len(d.lowered().Blocks[i].neurons())
			for at := range n {
				for j, direction := range directions {
					x := pre[at*width+last-len(directions)+j]
					if math.Abs(x-math.Round(x)) > 1e-9 || math.Round(x) < 0 || math.Round(x) > 1 {
						t.Fatalf("%s: block %d reads %q as %v at %d of %v", name, i, direction, x, at, tokens)
					}
					if seen[direction] == nil {
						seen[direction] = map[float64]bool{}
					}
					seen[direction][math.Abs(math.Round(x))] = true
				}
			}
		}
	}
	for direction, values := range seen {
		if len(values) != 2 {
			t.Errorf("%s: %q has only the values %v", name, direction, values)
		}
	}
	if len(seen) == 0 {
		t.Errorf("%s has no rules", name)
	}
}
