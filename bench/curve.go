package bench

import (
	"context"
	"slices"
	"time"

	"foretell/internal/kernel"
	"foretell/model"
	"foretell/train"
)

// Curve is the speed of training as a function of one size of the model or its batch,
// with the other sizes fixed.
type Curve struct {
	Size   string  `json:"size"` // n_ctx, d_model or batch_size
	Points []Point `json:"points"`
	ISA    string  `json:"isa"`
}

// CurveResults holds a curve for each of several sizes.
type CurveResults []Curve

// Point is one point of a curve. GFLOPS counts the operations of the matrix products,
// including those in the unmasked half of attention. With a longer context this count
// grows faster than the usual estimate 6·N·D for N parameters and D positions.
type Point struct {
	Value           int     `json:"value"`
	TokensPerSecond float64 `json:"tokens_per_second"`
	StepMillis      float64 `json:"step_ms"`
	GFLOPS          float64 `json:"gflops"`
	PeakGFLOPS      float64 `json:"peak_gflops"`
}

// sizes lists the sizes that curves vary, with the values of each: powers of two, and
// neighbouring values that do not divide evenly into the tiles of any kernel.
var sizes = []struct {
	name   string
	values []int
	set    func(c *train.Config, value int)
}{
	{
		"n_ctx",
		[]int{16, 17, 32, 33, 64, 65, 100, 128, 129, 200, 256, 257, 384, 512},
		func(c *train.Config, n int) { c.Model.NCtx = n },
	},
	{
		"d_model",
		[]int{16, 20, 32, 36, 48, 64, 68, 96, 100, 128, 132, 192, 256},
		func(c *train.Config, n int) { c.Model.DModel, c.Model.DMLP = n, 4*n },
	},
	{
		"batch_size",
		[]int{1, 2, 3, 4, 6, 8, 12, 16, 17, 32, 33, 64, 100, 128, 256, 512, 1024},
		func(c *train.Config, n int) { c.Train.BatchSize = n },
	},
}

// visits is the number of times that [Curves] measures each point. A machine shared with
// other work has slow phases, and the fastest of a few measurements is most likely
// outside them.
const visits = 3

// Curves times training steps of the small GPT of EE269 2026 (three layers of four heads,
// width 64, 64 positions, 64 sequences), with one of its sizes varied at a time. It
// spends the given duration on each point, divided over several measurements; the fastest
// one counts. If ctx ends, it returns ctx's error.
func Curves(ctx context.Context, workers int, each time.Duration) (CurveResults, error) {
	var curves CurveResults
	for _, s := range sizes {
		curves = append(curves, Curve{Size: s.name, Points: make([]Point, len(s.values)), ISA: kernel.ISA()})
	}
	var peaks []float64
	for range visits {
		for i, s := range sizes {
			for j, value := range s.values {
				p, err := timePoint(ctx, s.set, value, workers, each/visits)
				if err != nil {
					return nil, err
				}
				peaks = append(peaks, p.PeakGFLOPS)
				if p.TokensPerSecond > curves[i].Points[j].TokensPerSecond {
					curves[i].Points[j] = p
				}
			}
		}
	}
	slices.Sort(peaks)
	for _, c := range curves { // a peak measured too low would make its point look too good
		for j := range c.Points {
			c.Points[j].PeakGFLOPS = peaks[len(peaks)/2]
		}
	}
	return curves, nil
}

// timePoint times the small GPT with one size set to a value.
func timePoint(
	ctx context.Context, set func(*train.Config, int), value, workers int, each time.Duration,
) (Point, error) {
	m, _ := Named("minigpt")
	set(&m.Config, value)
	r, err := Train(ctx, m, workers, each)
	if err != nil {
		return Point{}, err
	}
	c, err := m.Config.Resolve()
	return Point{
		Value: value, TokensPerSecond: r.TokensPerSecond, StepMillis: r.StepMillis,
		GFLOPS: operations(c.Model) * r.TokensPerSecond / 1e9, PeakGFLOPS: r.PeakGFLOPS,
	}, err
}

// operations returns the number of floating-point operations that the matrix products of
// a training step need for each token: six for each weight, and twelve for each element
// of a head's query and each source that the query attends to. A query attends to (n_ctx
// + 1)/2 sources on average.
func operations(c model.Config) float64 {
	weights, attention := float64(c.DModel*c.DVocab), 0.0
	for _, heads := range c.NHeads {
		width := float64(heads * c.DHead)
		weights += 4*width*float64(c.DModel) + 2*float64(c.DModel*c.DMLP)
		attention += width * float64(c.NCtx+1)
	}
	return 6 * (weights + attention)
}
