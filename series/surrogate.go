package series

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"foretell/internal/random"

	"gonum.org/v1/gonum/dsp/fourier"
)

// Shuffled returns a copy of a series whose values are in random order: nothing in it can
// be foreseen but how often each value occurs. Missing values keep their places. The
// order is a function of seed and copy.
func (s *Series) Shuffled(seed, copy uint64) *Series {
	shuffled, places := *s, presentPlaces(s.Values)
	shuffled.Values = slices.Clone(s.Values)
	random.New(seed, "series/shuffled", copy).Shuffle(len(places), func(i, j int) {
		v := shuffled.Values
		v[places[i]], v[places[j]] = v[places[j]], v[places[i]]
	})
	return &shuffled
}

// PhaseRandomised returns a copy of a series with the same values in another order, and
// nearly the same circular autocorrelations: what can be foreseen in it, a linear
// forecaster with nonlinear margins foresees. It is an iterated amplitude-adjusted
// surrogate (Schreiber and Schmitz 1996): the amplitudes of the Fourier transform and the
// sorted values are imposed in turn, from a random order, until the order stays or the
// amplitudes' error falls by less than 1 %, at most 100 times.
//
// Missing values keep their places; the transform does not see them. The Fourier
// transform of more than 4,096 values needs a length without prime factors above 7, so
// the copy lacks the first values that are too many, at most 3 %. The copy is a function
// of seed and copy, up to rounding. The error is the end of the context, or that the
// values are symbols, which have no spectrum. On one core, 100,000 values take about 2 s
// and a million 30 s; give a part of a longer series.
func (s *Series) PhaseRandomised(ctx context.Context, seed, copy uint64) (*Series, error) {
	if s.Symbols != nil {
		return nil, fmt.Errorf("%s has symbols, which have no phases; want numbers", s.Source)
	}
	places := presentPlaces(s.Values)
	if len(places) == 0 {
		return nil, fmt.Errorf("%s has no values", s.Source)
	}
	begin := 0
	if surplus := len(places) - smoothLength(len(places)); surplus > 0 {
		begin = places[surplus]
	}
	randomised := s.from(begin)
	places = presentPlaces(randomised.Values)
	values := make([]float64, len(places))
	for i, at := range places {
		values[i] = randomised.Values[at]
	}
	values, err := iterated(ctx, values, random.New(seed, "series/phases", copy))
	if err != nil {
		return nil, err
	}
	for i, at := range places {
		randomised.Values[at] = values[i]
	}
	return randomised, nil
}

// presentPlaces returns the indices of values that are not missing.
func presentPlaces(values []float64) []int {
	places := make([]int, 0, len(values))
	for i, x := range values {
		if !math.IsNaN(x) {
			places = append(places, i)
		}
	}
	return places
}

// smoothLength returns n if it is at most 4,096, and otherwise the largest number up to n
// without prime factors above 7.
func smoothLength(n int) int {
	for ; n > 4096; n-- {
		rest := n
		for _, p := range []int{2, 3, 5, 7} {
			for rest%p == 0 {
				rest /= p
			}
		}
		if rest == 1 {
			break
		}
	}
	return n
}

// from returns a copy of a series without the values before an index.
func (s *Series) from(begin int) *Series {
	part := *s
	part.Values = slices.Clone(s.Values[begin:])
	if s.Times != nil {
		part.Times = s.Times[begin:]
	}
	part.Absent = nil
	for _, i := range s.Absent {
		if i >= begin {
			part.Absent = append(part.Absent, i-begin)
		}
	}
	return &part
}

// iterated returns values in another order with nearly the same amplitudes of their
// Fourier transform, see [Series.PhaseRandomised].
func iterated(ctx context.Context, values []float64, r *random.Stream) ([]float64, error) {
	n := len(values)
	fft := fourier.NewFFT(n)
	wanted := fft.Coefficients(nil, values)
	sorted, y := slices.Clone(values), slices.Clone(values)
	slices.Sort(sorted)
	r.Shuffle(n, func(i, j int) { y[i], y[j] = y[j], y[i] })
	spectrum, rough := make([]complex128, len(wanted)), make([]float64, n)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	before := math.Inf(1)
	for range 100 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		fft.Coefficients(spectrum, y)
		apart := 0.0
		for k, c := range spectrum {
			size := cmplx.Abs(wanted[k])
			apart += (cmplx.Abs(c) - size) * (cmplx.Abs(c) - size)
			spectrum[k] = cmplx.Rect(size, cmplx.Phase(c))
		}
		if apart > 0.98*before { // squares: an error that falls by 1 %
			break
		}
		before = apart
		fft.Sequence(rough, spectrum)
		slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(rough[i], rough[j]), cmp.Compare(i, j)) })
		stays := true
		for rank, i := range order {
			stays = stays && y[i] == sorted[rank]
			y[i] = sorted[rank]
		}
		if stays {
			break
		}
	}
	return y, nil
}
