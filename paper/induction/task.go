package induction

import (
	"fmt"
	"slices"
	"strings"

	"foretell/process"
)

// transition is the transition matrix P of all rows that train a model, except in a
// [variant]. The paper has an alphabet of five tokens (Sec. 5) and does not print its
// matrix. The matrix rows here were drawn once from the flat Dirichlet distribution and
// rounded to three digits. In nats, H(π) is 1.59 and the entropy rate 1.32, so knowing
// the lag is worth 0.27.
var transition = [][]float64{
	{0.013, 0.179, 0.092, 0.035, 0.681},
	{0.156, 0.398, 0.026, 0.336, 0.084},
	{0.298, 0.033, 0.126, 0.385, 0.158},
	{0.155, 0.396, 0.324, 0.089, 0.036},
	{0.330, 0.131, 0.142, 0.248, 0.149},
}

// task is a set of lags, ascending, written as in the paper but without the braces:
// “1,2,3”. It is a string so that tasks can be compared.
type task string

// The tasks of the paper's figures.
const (
	example       task = "1,2,3"     // the paper's running example
	nonContiguous task = "1,3,4"     // Fig. 3, second panel
	five          task = "1,2,3,4,5" // Fig. 3, third panel, and Fig. 5
	twoApart      task = "1,3"       // Fig. 3, fourth panel
	twoNext       task = "1,2"       // Fig. 7
	spread        task = "3,5,7"     // Fig. 4
)

// lags returns the lags of the task.
func (t task) lags() []int {
	var list []int
	for text := range strings.SplitSeq(string(t), ",") {
		var lag int
		if _, err := fmt.Sscan(text, &lag); err != nil {
			panic("induction: " + string(t) + " is not a list of lags such as 1,2,3")
		}
		list = append(list, lag)
	}
	return list
}

// longest returns k̂, the largest lag.
func (t task) longest() int { return slices.Max(t.lags()) }

// String returns the set with its braces.
func (t task) String() string { return "{" + strings.ReplaceAll(string(t), ",", ", ") + "}" }

// file returns the task in a form for file names.
func (t task) file() string { return strings.ReplaceAll(string(t), ",", "-") }

// must returns a result that cannot fail, because the lags, the matrix and the tokens are
// the package's own.
func must[T any](result T, err error) T {
	if err != nil {
		panic("induction: " + err.Error())
	}
	return result
}

// mustObserve lets a predictor observe a token, which cannot fail, because the token is
// the package's own.
func mustObserve(by process.Predictor, token int32) { must(token, by.Observe(int(token))) }
