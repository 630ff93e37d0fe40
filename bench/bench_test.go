package bench

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"foretell/process"
	"foretell/train"
)

// Parameters of the peer's models, which have no bias in the unembedding.
func TestModelsAreThePeers(t *testing.T) {
	for name, peer := range map[string]int{"mess3": 51136, "minigpt": 158272, "induction64": 50464, "induction128": 100448} {
		m, ok := Named(name)
		if !ok {
			t.Errorf("no model %s", name)
			continue
		}
		c, err := m.Config.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Model.Parameters() - c.Model.DVocab; got != peer {
			t.Errorf("%s has %d parameters less the unembedding's bias, the peer's has %d", name, got, peer)
		}
	}
	if len(Models) != 4 {
		t.Errorf("%d models, the peer has 4", len(Models))
	}
}

func TestSizes(t *testing.T) {
	const want = `mess3: d_model 64, n_layers 1, n_heads 1, d_mlp 256, n_ctx 10, batch_size 128
minigpt: d_model 64, n_layers 3, n_heads 4, d_mlp 256, n_ctx 64, batch_size 64
induction64: d_model 64, n_layers 3, n_heads [1, 3, 1], d_head 32, attn_only, n_ctx 128, batch_size 256
induction128: d_model 128, n_layers 3, n_heads [1, 3, 1], d_head 32, attn_only, n_ctx 128, batch_size 256`
	if got := Sizes(); got != want {
		t.Errorf("%s", got)
	}
}

func TestFind(t *testing.T) {
	first, err := Find()
	if err != nil || len(first) != 1 || first[0].Name != "mess3" {
		t.Errorf("%v, %v", first, err)
	}
	two, err := Find("minigpt", "mess3")
	if err != nil || len(two) != 2 || two[0].Name != "minigpt" {
		t.Errorf("%v, %v", two, err)
	}
	const want = `unknown model "gpt": want one of mess3, minigpt, induction64, induction128`
	if _, err := Find("mess3", "gpt"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestTrainResult(t *testing.T) {
	m, _ := Named("mess3")
	m.Config.Train.BatchSize = 4
	r, err := Train(t.Context(), m, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	tokens := 40 / (r.StepMillis / 1000)
	if r.Steps < 1 || r.TokensPerSecond < 0.999*tokens || r.TokensPerSecond > 1.001*tokens || r.PeakGFLOPS <= 0 || r.Model != "mess3" || r.ISA == "" {
		t.Errorf("%+v", r)
	}
}

// Positions that a step does not compute are not counted.
func TestTrainCountsTheTokensOfAStep(t *testing.T) {
	m, _ := Named("mess3")
	m.Config.Train.BatchSize, m.Config.Train.LossPositions = 4, []int{1, 3}
	r, err := Train(t.Context(), m, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.TokensPerSecond * r.StepMillis / 1000; math.Abs(got-12) > 1e-6 {
		t.Errorf("%v tokens a step, want 4 sequences of 3", got)
	}
}

// Of sequences that share prefixes the operations are those of the positions that go
// through the model, and the row says so.
func TestTrainCountsWhatIsComputed(t *testing.T) {
	for _, c := range []struct {
		set        func(o *train.Options)
		least      float64 // positions a step
		most       float64
		shares, in string
	}{
		{func(*train.Options) {}, 160, 160, "few", "few shared prefixes"},
		{func(o *train.Options) { o.SharePrefixes = "off" }, 160, 160, "off", "off"},
		{func(o *train.Options) { o.SharePrefixes = "on" }, 100, 159, "on", "yes, "},
		{func(o *train.Options) { o.SharePrefixes, o.BatchSize = "auto", 512 }, 1000, 3000, "on", "yes, "},
		{func(o *train.Options) { o.SharePrefixes = "auto" }, 160, 160, "few", "few shared prefixes"},
		{func(o *train.Options) { o.BatchSize = 512 }, 5120, 5120, "both", " tokens/s"},
		{func(o *train.Options) { o.BatchSize, o.Objective = 0, "exact" }, 120, 120, "exact", "all sequences, each prefix once"},
	} {
		m, _ := Named("mess3")
		m.Config.Train.BatchSize = 16
		c.set(&m.Config.Train)
		if m.Config.Train.Objective == "exact" {
			m.Config.Model.NCtx = 4
		}
		r, err := Train(t.Context(), m, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		rate := 6 * float64(r.Parameters) * r.PositionsPerStep / (r.StepMillis / 1000) / 1e9
		if r.PositionsPerStep < c.least || r.PositionsPerStep > c.most || math.Abs(r.GFLOPS/rate-1) > 1e-9 {
			t.Errorf("%+v: %+v", m.Config.Train, r)
		}
		var text strings.Builder
		TrainResults{r}.Forms().Print(&text)
		if r.PrefixesShared != c.shares || !strings.Contains(text.String(), c.in) {
			t.Errorf("%+v: %s in %s", m.Config.Train, r.PrefixesShared, &text)
		}
	}
}

// The peak is of no more cores than there are, and the text says where workers are more.
func TestPeakIsOfTheCoresThereAre(t *testing.T) {
	m, _ := Named("mess3")
	m.Config.Train.BatchSize = 4
	cores := runtime.GOMAXPROCS(0)
	for _, workers := range []int{1, cores + 50} {
		r, err := Train(t.Context(), m, workers, 1)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		TrainResults{r}.Forms().Print(&text)
		told := strings.Contains(text.String(), fmt.Sprintf("the whole machine; %d workers share it", workers))
		if r.PeakCores != min(workers, cores) || told != (workers > cores) {
			t.Errorf("%d workers: %d cores, %s", workers, r.PeakCores, &text)
		}
	}
}

// Training keeps GELU's slope for the way back, so that is what is timed.
// What is timed and the peak are medians in turn, of calls and windows of them.
func TestInTurn(t *testing.T) {
	calls := 0
	found, err := inTurn(0, 1, 1, func() error {
		calls++
		return nil
	})
	if err != nil || calls != 1 || found.n != 1 || found.peak <= 0 {
		t.Errorf("%d calls, %v, %+v", calls, err, found)
	}
	failed := errors.New("no")
	if _, err := inTurn(time.Hour, 1, 1, func() error { return failed }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
}

// Kernels have their peaks beside them, each its own.
func TestKernelsHavePeaks(t *testing.T) {
	peaks := map[float64]bool{}
	for _, r := range Kernels(time.Millisecond) {
		if r.GFLOPS > 0 {
			peaks[r.Peak] = true
		}
	}
	if len(peaks) < 5 {
		t.Errorf("peaks %v are measured once, and not in turn", peaks)
	}
}

func TestKernelsAllRun(t *testing.T) {
	var names []string
	for _, r := range Kernels(1) {
		names = append(names, r.Kernel)
		if r.Micros <= 0 || (r.GFLOPS > 0) == (r.NsPerEntry > 0) {
			t.Errorf("%+v", r)
		}
	}
	for _, want := range []string{"GELU", "GELU and its slope", "GELU backward, by its slope"} {
		if !slices.Contains(names, want) {
			t.Errorf("%q are timed, want %s", names, want)
		}
	}
}

func ExampleSample() {
	p, err := process.Build("mess3", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := Sample(p, 11, 1)
	fmt.Println(r.Process, r.Length, r.TokensPerSecond > 0)
	// Output: mess3 11 true
}
