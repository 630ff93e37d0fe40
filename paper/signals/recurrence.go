package signals

import (
	"math"
	"slices"

	"foretell/internal/portable"
)

// delayMap is a second implementation of the lecture's Mackey–Glass recurrence:
//
//	x[n+1] = x[n] + 0.3·x[n−τ]/(1 + x[n−τ]¹⁰) − 0.1·x[n],   x[n] = start for n ≤ 0.
type delayMap struct {
	past []float64 // [n mod (τ+1)]: x[n], for the last τ+1 steps
	n    int       // the latest step
}

func newDelayMap(tau int, start float64) *delayMap {
	m := &delayMap{past: make([]float64, tau+1)}
	for i := range m.past {
		m.past[i] = start
	}
	return m
}

// Settings of the recording that package process makes of Signal 2. The lecture states
// only the delay and the number of levels.
const (
	lectureDelay, lectureLevels = 25, 32
	recordingStart              = 1.2
	recordedPoints              = 10_000
	transient                   = 1000 // steps before the recording begins
)

// mapAt returns the map at step n of a recording x, with x[n−lag] in place of x[n−τ]. It
// holds only these two values, so it can be advanced by only one step.
func mapAt(x []float64, n, lag int) *delayMap {
	return &delayMap{past: []float64{x[n], x[n-lag]}}
}

// settled returns the map after the transient steps.
func settled(tau int, start float64) *delayMap {
	m := newDelayMap(tau, start)
	m.record(transient)
	return m
}

// record returns the next points, starting with x[n].
func (m *delayMap) record(points int) []float64 {
	x := make([]float64, points)
	for n := range x {
		x[n] = m.now()
		m.step()
	}
	return x
}

// recorded returns the values of the recording that package process makes, and the
// quantiser over their range.
func recorded(tau, points int) ([]float64, grid) {
	x := settled(tau, recordingStart).record(points)
	return x, gridOf(x)
}

// now returns x[n].
func (m *delayMap) now() float64 { return m.past[m.n%len(m.past)] }

// lagged returns x[n−τ].
func (m *delayMap) lagged() float64 { return m.past[(m.n+1)%len(m.past)] }

// step advances from n to n+1.
func (m *delayMap) step() {
	now, lagged := m.now(), m.lagged()
	next := now + float64(0.3*lagged)/(1+portable.Power(lagged, 10)) - float64(0.1*now)
	m.n++
	m.past[m.n%len(m.past)] = next
}

// slopes returns ∂x[n+1]/∂x[n] and ∂x[n+1]/∂x[n−τ].
func (m *delayMap) slopes() (now, lagged float64) {
	power := portable.Power(m.lagged(), 10)
	return 0.9, float64(0.3*(1-9*power)) / float64((1+power)*(1+power))
}

// lyapunov returns the largest Lyapunov exponent, the long-run growth rate of the
// distance between two neighbouring trajectories, in nats a step. After the transient
// steps it measures several blocks of steps, and returns the mean growth rate in each
// block. The exponent is positive for chaos and at most zero for a regular motion.
func lyapunov(tau, transient, blocks, steps int) []float64 {
	m := newDelayMap(tau, recordingStart)
	tangent := &delayMap{past: make([]float64, tau+1)}
	tangent.past[0] = 1
	rates := make([]float64, 0, blocks)
	for block := -1; block < blocks; block++ {
		length, grown := steps, 0.0
		if block < 0 {
			length = transient
		}
		for range length {
			a, b := m.slopes()
			next := float64(a*tangent.now()) + float64(b*tangent.lagged())
			m.step()
			tangent.n++
			tangent.past[tangent.n%len(tangent.past)] = next
			if tangent.n%len(tangent.past) == 0 {
				grown += tangent.normalise()
			}
		}
		grown += tangent.normalise()
		if block >= 0 {
			rates = append(rates, grown/float64(steps))
		}
	}
	return rates
}

// normalise scales the stored values, as a vector, to length 1. It returns the natural
// logarithm of the vector's old length.
func (m *delayMap) normalise() float64 {
	sum := 0.0
	for _, x := range m.past {
		sum += float64(x * x)
	}
	length := math.Sqrt(sum)
	for i := range m.past {
		m.past[i] /= length
	}
	return portable.Log(length)
}

// grid is a second implementation of the lecture's uniform quantiser over a range, to
// check the process's tokens.
type grid struct {
	low, high float64
	levels    int
}

// gridOf returns the quantiser over the range of a recording.
func gridOf(x []float64) grid { return grid{slices.Min(x), slices.Max(x), lectureLevels} }

// token returns the token of x, which is clipped to the range and rounded.
func (g grid) token(x float64) int32 {
	x = min(max(x, g.low), g.high)
	return int32(math.RoundToEven(float64((x-g.low)*float64(g.levels-1)) / (g.high - g.low)))
}

// tokens returns the tokens of a recording.
func (g grid) tokens(x []float64) []int32 {
	record := make([]int32, len(x))
	for n, v := range x {
		record[n] = g.token(v)
	}
	return record
}
