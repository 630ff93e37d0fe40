package kernel

import "fmt"

// CrossEntropy returns before + Σ weights[i]·(−log p_i[targets[i]]), in nats, over the
// rows of logits (rows,V), where p_i is the softmax of row i. It writes the gradient
// weights[i]·p_i − weights[i]·onehot(targets[i]) to dlogits (rows,V). A row of weight 0
// adds nothing and has gradient 0, whatever its logits. dlogits may be logits. Rows are
// added in order, in float64; a batch can be processed in parts: the argument before is
// then the loss of the previous parts.
func CrossEntropy[F Float](before float64, dlogits, logits []F, rows, V int, targets []int32, weights []F) float64 {
	checkMatrix("CrossEntropy: logits", len(logits), rows, V, V)
	checkMatrix("CrossEntropy: dlogits", len(dlogits), rows, V, V)
	checkSame("CrossEntropy: targets", len(targets), rows)
	checkSame("CrossEntropy: weights", len(weights), rows)
	for i, t := range targets {
		if t < 0 || int(t) >= V {
			panic(fmt.Sprintf("kernel: CrossEntropy: target %d of row %d is outside [0, %d)", t, i, V))
		}
	}
	for i, t := range targets {
		grad := dlogits[i*V : i*V+V]
		if weights[i] == 0 {
			clear(grad)
			continue
		}
		nll := crossEntropyRow(grad, logits[i*V:i*V+V], int(t), weights[i])
		before += float64(float64(weights[i]) * float64(nll))
	}
	return before
}

// crossEntropyRow returns −log softmax(x)[target], and writes its gradient times weight
// to grad.
func crossEntropyRow[F Float](grad, x []F, target int, weight F) (nll F) {
	xt := x[target] // grad may be x
	m, s := softmaxRow(grad, x, weight)
	grad[target] -= weight
	return log(s) - (xt - m)
}

// SoftCrossEntropy is CrossEntropy against distributions ("soft targets", Hinton et al.
// 2015): it returns before + Σ_i Σ_z targets[i,z]·(−log p_i[z]), in nats, and writes the
// gradient
//
//	dlogits[i] = (Σ_z targets[i,z])·p_i − targets[i]
//
// to dlogits (rows,V). A row of targets (rows,V) is a distribution times the weight of
// the row: non-negative numbers with any sum. A row of zeros adds nothing and has
// gradient 0, whatever its logits. If each row has a single non-zero number, the results
// are bit-identical to CrossEntropy with that weight and token. dlogits must not be
// logits. Rows are added in order, in float64.
func SoftCrossEntropy[F Float](before float64, dlogits, logits []F, rows, V int, targets []F) float64 {
	checkMatrix("SoftCrossEntropy: logits", len(logits), rows, V, V)
	checkMatrix("SoftCrossEntropy: dlogits", len(dlogits), rows, V, V)
	checkSame("SoftCrossEntropy: targets", len(targets), rows*V)
	for i := range rows {
		from, to := i*V, i*V+V
		grad, weight := dlogits[from:to], sum(targets[from:to])
		if weight == 0 {
			clear(grad)
			continue
		}
		before += softCrossEntropyRow(grad, logits[from:to], targets[from:to], weight)
	}
	return before
}

// softCrossEntropyRow returns Σ targets·(−log softmax(x)) and writes its gradient to
// grad. weight is the sum of targets.
func softCrossEntropyRow[F Float](grad, x, targets []F, weight F) (loss float64) {
	m, s := softmaxRow(grad, x, weight)
	norm := log(s)
	for z, q := range targets {
		if q == 0 {
			continue // even if x[z] is −Inf
		}
		loss += float64(float64(q) * float64(norm-(x[z]-m)))
		grad[z] -= q
	}
	return loss
}
