package token

import "slices"

// ranked holds the distinct values of samples in ascending order, with cumulative sums
// from which the mean and the squared error of any cell follow.
type ranked struct {
	values []float64
	center float64   // the mean of the samples, subtracted before anything is summed
	counts []float64 // counts[i] samples are below values[i]; like sums and powers, one element longer than values
	sums   []float64
	powers []float64 // cumulative sums of squares
}

func newRanked(x []float64) *ranked {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	r := &ranked{counts: []float64{0}, sums: []float64{0}, powers: []float64{0}}
	for _, v := range sorted {
		r.center += v / float64(len(sorted))
	}
	for i, v := range sorted {
		if i == 0 || v != sorted[i-1] {
			last := len(r.values)
			r.values = append(r.values, v)
			r.counts = append(r.counts, r.counts[last])
			r.sums = append(r.sums, r.sums[last])
			r.powers = append(r.powers, r.powers[last])
		}
		last := len(r.values)
		r.counts[last]++
		r.sums[last] += v - r.center
		r.powers[last] += square(v - r.center)
	}
	return r
}

// mean returns the mean of the samples with values i to j−1, i < j, clamped to the range
// of these values.
func (r *ranked) mean(i, j int) float64 {
	mean := r.center + (r.sums[j]-r.sums[i])/(r.counts[j]-r.counts[i])
	return min(max(mean, r.values[i]), r.values[j-1])
}

// scatter returns the sum of squared deviations of the samples with values i to j−1, i <
// j, from their mean.
func (r *ranked) scatter(i, j int) float64 {
	sum := r.sums[j] - r.sums[i]
	return max(r.powers[j]-r.powers[i]-float64(sum*sum)/(r.counts[j]-r.counts[i]), 0)
}

// meanSquare returns the variance of all samples.
func (r *ranked) meanSquare() float64 {
	return r.scatter(0, len(r.values)) / r.counts[len(r.values)]
}

// cells returns the cells of a quantiser with the given points.
func (r *ranked) cells(points []float64) *cells {
	from := 0
	return newCells(points, func(thresholds []float64, k int) (mean, mass float64) {
		to := len(r.values)
		if k < len(thresholds) {
			more, _ := slices.BinarySearch(r.values[from:], thresholds[k])
			to = from + more
		}
		i, j := from, to
		from = to
		if i == j {
			return 0, 0
		}
		return r.mean(i, j), r.counts[j] - r.counts[i]
	})
}
