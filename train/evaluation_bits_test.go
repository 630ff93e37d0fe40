package train

import (
	"crypto/sha256"
	"fmt"
	"math"
	"testing"

	"foretell/model"
	"foretell/process"
)

// bitsOfEvaluations are beginnings of the SHA-256 of what an evaluation says of a model
// that took no step, by process.
var bitsOfEvaluations = map[string]string{
	"mess3": "3cedcefba006", "mess3_mixture": "14510f4f9338", "z1r": "c9b6f4fdccef",
	"rrxor": "fdbdecce4ea0", "even": "b98218ca5956", "golden_mean": "84dfb5262444",
	"golden_mean_5_3": "096175b3a90a", "sns": "0d1949e57bc7", "fractal2": "d684268814c8",
	"teddy_bear": "f78be083a1f0", "parentheses": "6c87a57086fd", "bloch_walk": "1a6577f4c0e9",
	"frdn": "8454bc75029d", "moon": "c63d66f50f91", "coin": "fc65c66f89ce",
	"interleaved": "4ebc35a69ea0", "random_chains": "de0345098e0e", "markov": "2d59aee111da",
	"periodic": "dce0002f2ec1", "iid": "6d4474da1034", "sine": "f774e25b49e8",
	"mackey_glass": "fd27b022d503", "recording": "3cb83155e410", "switching_delay": "28bd7bcd2205",
	"brackets": "0ac7b42c318a", "routing": "b2541d45650e", "factored": "57626a8fc369",
	"mixture": "ba73d6d64e09", "noisy": "0545d160096c", "mapped": "77a33250db71",
}

// An evaluation has the same bits everywhere of each process of the catalogue: floor,
// chance and the divergence by position, which are in metrics.jsonl; of a recording the
// losses and chance.
func TestEvaluationsAreTheSameBits(t *testing.T) {
	if len(bitsOfEvaluations) != len(process.Catalogue()) {
		t.Errorf("%d processes of %d", len(bitsOfEvaluations), len(process.Catalogue()))
	}
	for _, entry := range process.Catalogue() {
		e := evaluate(t, newTrainer(t, Config{
			Process: ProcessConfig{Name: entry.Name},
			Model:   model.Config{DModel: 8, NLayers: 1, NHeads: model.Heads{1}, NCtx: 6},
			Train:   Options{Seed: 3, LR: 1e-2, BatchSize: 4, NumSteps: 1, EvaluateSequences: 16},
		}, 1))
		h := sha256.New()
		numbers := []float64{e.LossEval, e.Chance}
		if e.Optimum != nil {
			numbers = append(e.KLByPosition, e.KL, e.Floor, e.Chance)
		} else {
			numbers = append(numbers, *e.LossWindows)
		}
		for _, x := range numbers {
			fmt.Fprintf(h, "%x ", math.Float64bits(x))
		}
		if got, want := fmt.Sprintf("%x", h.Sum(nil)[:6]), bitsOfEvaluations[entry.Name]; got != want {
			t.Errorf("%s: the hash is %s, want %s", entry.Name, got, want)
		}
	}
}
