package token

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/portable"
)

var windowTokenizer = Tokenizer{
	Name: windowName, Params: windowParams,
	Summary: "each window with its own mean and scale, for series of unknown level",
	Fit: func(x []float64, p Params) (Quantizer, error) {
		return asQuantizer(FitWindows(x, p.whole("window"), p.whole("means"), p.whole("scales"), p.whole("levels")))
	},
}

var windowParams = []Param{
	{"window", 64, 2, longestBlock, true, "samples in a window"},
	{"means", 32, 2, mostSides, true, "levels for a window's mean"},
	{"scales", 16, 2, mostSides, true, "levels for a window's scale"},
	{"levels", 16, 2, 1024, true, "levels for a sample, after subtracting the mean and dividing by the scale"},
}

const (
	windowName = "window"
	mostSides  = 256
)

// Frame is the mean of samples and their scale, which is the standard deviation. For a
// series whose level is not known in advance, a model can read its context normalised by
// the context's frame. The same frame then restores the model's forecast. Such a frame is
// not a token and costs no bits. [Windows] is the quantiser that stores the frame as
// tokens.
type Frame struct{ Mean, Scale float64 }

// FrameOf returns the frame of samples; the scale is 1 if they are all equal. It returns
// an error if there are no samples, or if a sample is NaN, infinite or beyond ±1e150.
func FrameOf(x []float64) (Frame, error) {
	if len(x) == 0 {
		return Frame{}, fmt.Errorf("frame: no samples were given: want at least one")
	}
	if err := checkSamples("frame", x); err != nil {
		return Frame{}, err
	}
	mean, scale := meanAndDeviation(x)
	if scale == 0 || slices.Max(x) == slices.Min(x) {
		return Frame{x[0], 1}, nil
	}
	return Frame{mean, scale}, nil
}

// Normalize appends (x − Mean)/Scale to dst.
func (f Frame) Normalize(dst, x []float64) []float64 {
	for _, v := range x {
		dst = append(dst, (v-f.Mean)/f.Scale)
	}
	return dst
}

// Restore appends Mean + Scale·y to dst.
func (f Frame) Restore(dst, y []float64) []float64 {
	for _, v := range y {
		dst = append(dst, f.restored(v))
	}
	return dst
}

func (f Frame) restored(y float64) float64 { return f.Mean + float64(f.Scale*y) }

// Windows quantises windows by their mean, their scale, and each sample in that frame. A
// window has one token for its mean, one for its scale, and one for each sample. A series
// may then have any level and loudness that occurred in the training samples, and the
// levels of a sample need not cover the whole range. The mean and the scale cost (log₂
// means + log₂ scales)/window bits per sample.
//
// Encode chooses the frame in which the window has the least squared error, and the first
// of several equally good frames. It does not choose the frame nearest to the window's
// own mean and scale: the decoded window could be nearer to another frame, and encoding
// it again would give other tokens.
type Windows struct {
	window int
	frames []Frame // indexed by mean*scales + scale, where mean and scale are tokens
	scales int
	inner  *Scalar
	levels []int
}

// FitWindows fits the levels of the mean (equal steps), the levels of the scale (equal
// ratios, down to a thousandth of the largest) and the quantiser of the normalised
// samples (Lloyd–Max) on the whole windows of x. It returns an error if a window is
// longer than the signal, or if every window is constant.
func FitWindows(x []float64, window, means, scales, levels int) (*Windows, error) {
	_, err := resolve(windowName, windowParams, Params{
		"window": float64(window), "means": float64(means), "scales": float64(scales), "levels": float64(levels),
	})
	if err != nil {
		return nil, err
	}
	if len(x) > 0 && window > len(x) {
		return nil, fmt.Errorf("%s: a window of %d samples is longer than the signal of %d", windowName, window, len(x))
	}
	if err := checkTraining(windowName, x); err != nil {
		return nil, err
	}
	x = x[:len(x)/window*window]
	w := &Windows{window: window, scales: scales, levels: []int{means, scales}}
	for range window {
		w.levels = append(w.levels, levels)
	}
	own, err := w.fitFrames(x, means)
	if err != nil {
		return nil, err
	}
	if err := w.fitInner(own, levels); err != nil {
		return nil, err
	}
	return w, nil
}

// fitFrames makes the grid of frames. It returns the samples of x, each normalised by the
// mean and the scale of its window. Constant windows are left out.
func (w *Windows) fitFrames(x []float64, means int) ([]float64, error) {
	var own []float64
	low, high := math.Inf(1), math.Inf(-1)
	least, most := math.Inf(1), 0.0
	for part := range slices.Chunk(x, w.window) {
		mean, scale := meanAndDeviation(part)
		low, high = min(low, mean), max(high, mean)
		if scale > 0 && slices.Max(part) > slices.Min(part) {
			least, most = min(least, scale), max(most, scale)
			own = Frame{mean, scale}.Normalize(own, part)
		}
	}
	if most == 0 {
		return nil, fmt.Errorf("%s: every window of %d samples is constant: want a longer window", windowName, w.window)
	}
	least = max(least, most/1000)
	if most < 2*least { // nearly the same scale everywhere: use scales around it with a ratio of 2
		least, most = math.Sqrt(least*most)/math.Sqrt2, math.Sqrt(least*most)*math.Sqrt2
	}
	if high-low < least {
		middle := low + (high-low)/2
		low, high = middle-least/2, middle+least/2
	}
	ratio := portable.Log(most / least)
	for i := range means {
		mean := low + float64((high-low)*float64(i))/float64(means-1)
		for j := range w.scales {
			scale := least * portable.Exp(float64(ratio*float64(j))/float64(w.scales-1))
			w.frames = append(w.frames, Frame{mean, scale})
		}
	}
	return own, nil
}

// fitInner fits the quantiser of normalised samples. It returns an error unless the point
// of every token, in every frame, is encoded as that token.
func (w *Windows) fitInner(own []float64, levels int) error {
	var err error
	if w.inner, err = FitLloydMax(own, levels, 1e-6); err != nil {
		return fmt.Errorf("%s: samples normalised by their windows: %w", windowName, err)
	}
	for _, f := range w.frames {
		for t, point := range w.inner.points {
			if x := f.restored(point); !usable(x) || w.inFrame(f, x) != int32(t) {
				return fmt.Errorf("%s: float64 cannot represent or distinguish %d levels "+
					"at a mean of %g and a scale of %g",
					windowName, levels, f.Mean, f.Scale)
			}
		}
	}
	return nil
}

// inFrame returns the token of a sample in a frame.
func (w *Windows) inFrame(f Frame, x float64) int32 {
	return w.inner.guide.count((x - f.Mean) / f.Scale)
}

// Block returns the number of samples in a window.
func (w *Windows) Block() int { return w.window }

// Levels returns the number of levels of the mean, of the scale, and of each sample.
func (w *Windows) Levels() []int { return w.levels }

// Encode appends the tokens of x; see [Quantizer].
func (w *Windows) Encode(dst []int32, x []float64) ([]int32, error) {
	if err := checkBlocks(windowName, len(x), w.window); err != nil {
		return dst, err
	}
	if err := checkSamples(windowName, x); err != nil {
		return dst, err
	}
	all, tokens := extend(dst, len(x)/w.window*len(w.levels))
	for part := range slices.Chunk(x, w.window) {
		best := w.best(part)
		tokens[0], tokens[1] = int32(best/w.scales), int32(best%w.scales)
		for i, v := range part {
			tokens[2+i] = w.inFrame(w.frames[best], v)
		}
		tokens = tokens[len(w.levels):]
	}
	return all, nil
}

// best returns the index of the frame in which a window has the least squared error.
func (w *Windows) best(x []float64) int {
	best, least := 0, math.Inf(1)
	for i, f := range w.frames {
		sum := 0.0
		for _, v := range x {
			if sum += square(v - f.restored(w.inner.points[w.inFrame(f, v)])); sum >= least {
				break
			}
		}
		if sum < least {
			best, least = i, sum
		}
	}
	return best
}

// Decode appends the samples for the tokens; see [Quantizer].
func (w *Windows) Decode(dst []float64, tokens []int32) ([]float64, error) {
	if err := checkTokens(windowName, tokens, w.levels); err != nil {
		return dst, err
	}
	all, x := extend(dst, len(tokens)/len(w.levels)*w.window)
	for part := range slices.Chunk(tokens, len(w.levels)) {
		f := w.frames[int(part[0])*w.scales+int(part[1])]
		for i, t := range part[2:] {
			x[i] = f.restored(w.inner.points[t])
		}
		x = x[w.window:]
	}
	return all, nil
}
