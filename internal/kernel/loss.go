package kernel

import "fmt"

// CrossEntropy returns Σ weights[i]·(−log p_i[targets[i]]), in nats, over the
// rows of logits (rows,V), where p_i is the softmax of row i, and writes its
// gradient weights[i]·p_i − weights[i]·onehot(targets[i]) to dlogits (rows,V)
// unless that is nil. A row of weight 0 or target −1 adds nothing and has gradient 0,
// whatever its logits. dlogits may be logits. The rows are added in order, in
// float64.
func CrossEntropy[F Float](dlogits []F, logits []F, rows, V int, targets []int32, weights []F) (loss float64) {
	checkMatrix("CrossEntropy: logits", len(logits), rows, V, V)
	if dlogits != nil {
		checkMatrix("CrossEntropy: dlogits", len(dlogits), rows, V, V)
	}
	checkSame("CrossEntropy: targets", len(targets), rows)
	checkSame("CrossEntropy: weights", len(weights), rows)
	for i, t := range targets {
		if t < -1 || int(t) >= V {
			panic(fmt.Sprintf("kernel: CrossEntropy: target %d of row %d is outside [-1, %d)", t, i, V))
		}
	}
	for i, t := range targets {
		var grad []F
		if dlogits != nil {
			grad = dlogits[i*V : i*V+V]
		}
		if t < 0 || weights[i] == 0 {
			clear(grad)
			continue
		}
		nll := crossEntropyRow(grad, logits[i*V:i*V+V], int(t), weights[i])
		loss += float64(float64(weights[i]) * float64(nll))
	}
	return loss
}

// crossEntropyRow returns −log softmax(x)[target] and writes its gradient times
// weight to grad, unless that is nil.
func crossEntropyRow[F Float](grad, x []F, target int, weight F) (nll F) {
	xt := x[target] // grad may be x
	var m, s F
	if grad == nil {
		m, s = sumExp(x)
	} else {
		m, s = softmaxRow(grad, x, weight)
		grad[target] -= weight
	}
	return log(s) - (xt - m)
}
