package fit

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"foretell/internal/random"
	"foretell/process"
)

func geyser(t testing.TB) []int32 {
	text, err := os.ReadFile("testdata/geyser.txt")
	if err != nil {
		t.Fatal(err)
	}
	var s []int32
	for _, c := range text {
		if c == '0' || c == '1' {
			s = append(s, int32(c-'0'))
		}
	}
	return s
}

func TestScratch(t *testing.T) {
	s := geyser(t)
	for k := 1; k <= 3; k++ {
		for _, o := range []Options{{Emission: States}, {Emission: States, Start: Stationary}, {}, {Start: Stationary}} {
			t0 := time.Now()
			r, err := HMM(context.Background(), s, []string{"short", "long"}, k, o)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(k, o.Emission, o.Start, r.LogLikelihood, r.FromStationary, r.Trace[len(r.Trace)-1], r.Steps, r.Converged, r.Stopped, r.Starts, r.Parameters, time.Since(t0))
			fmt.Println(r.HMM.Transition(0), r.HMM.Transition(1), r.Start, r.HMM.NetTransition())
		}
	}
}

func TestScratchMess3(t *testing.T) {
	p, _ := process.Mess3(0.15, 0.6)
	for seed := range uint64(1) {
	s := make([]int32, 1_000_000)
	p.Sample(s, random.New(seed, "test"))
	w := newPass(s)
	m := kind{}.random(3, 3, random.New(1, "x"))
	w.expect(context.Background(), m)
	t0 := time.Now()
	w.expect(context.Background(), m)
	fmt.Println("E step", time.Since(t0))
	t0 = time.Now()
	last := 0
	r, err := HMM(context.Background(), s, []string{"0", "1", "2"}, 3, Options{Seed: seed, Workers: 2, Progress: func(start, length int, l float64) {
		if length != last {
			fmt.Println(start, length, l, time.Since(t0))
			last = length
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(r.LogLikelihood, r.Steps, r.Stopped, r.Starts, time.Since(t0))
	lp, _ := p.LogProb(s)
	fmt.Println("truth", lp)
	f0, _ := p.Floor(context.Background(), 10)
	f1, _ := r.HMM.Floor(context.Background(), 10)
	l0, _ := p.Limits(context.Background())
	gap := f0.ByPosition[0] - l0.EntropyRate
	for i := range 10 {
		fmt.Printf("%.3f%% ", 100*(f1.ByPosition[i]-f0.ByPosition[i])/gap)
	}
	fmt.Println(gap)
	}
}
