package process

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"testing"

	"foretell/internal/golden"
	"foretell/internal/random"
)

// bitsFile has a line for each row of the zoo: its bits, and what process it is.
const bitsFile = "testdata/bits.txt"

// The tokens that a process samples, what its optimal predictor expects along them, its
// floors and its chance are the same to the bit on every architecture: make test runs
// this on amd64 and, emulated, on arm64. Whoever changes an order of operations writes
// the file anew by -update, and says in docs/log.md whose digits moved.
func TestBitsOfProcesses(t *testing.T) {
	var got strings.Builder
	for _, row := range zoo {
		p, err := Build(row.name, row.params)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s %s\n", bitsOfProcess(t, p), FormatValue(Spec{Name: row.name, Params: row.params}))
	}
	golden.Compare(t, bitsFile, got.String())
}

// bitsOfProcess is the beginning of a SHA-256.
func bitsOfProcess(t *testing.T, p Process) string {
	t.Helper()
	const sequences, length, positions = 8, 12, 3
	h := sha256.New()
	put := func(numbers ...float64) {
		for _, x := range numbers {
			fmt.Fprintf(h, "%x ", math.Float64bits(x))
		}
	}
	tokens, next, predictor := make([]int32, length), make([]float64, p.Alphabet()), p.Predictor()
	for i := range uint64(sequences) {
		p.Sample(tokens, random.New(1, "process/bits", i))
		fmt.Fprintln(h, tokens)
		predictor.Reset()
		for _, z := range tokens {
			predictor.Next(next)
			put(next...)
			if err := predictor.Observe(int(z)); err != nil {
				t.Fatal(err)
			}
		}
	}
	floor, err := p.Floor(t.Context(), positions)
	if err != nil {
		t.Fatal(err)
	}
	put(floor.Chance)
	put(floor.ByPosition...)
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
