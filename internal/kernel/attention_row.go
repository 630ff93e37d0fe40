package kernel

// Attention of a single query: the last position of a sequence, or a node in a tree of
// prefixes, which attends to its ancestors. The query q and the output z have the same
// length, the width of the head. The matrices k and v have leading dimension ld. The list
// `rows` has the indices of the rows of k and v to which the query attends; the pattern
// has one element for each index.

// AttentionRowPattern writes the last row of AttentionPattern, restricted to the listed
// rows:
//
//	s[j] = scale·Σ_p q[p]·k[rows[j],p]         one chain over p
//	pattern = Softmax(s)
func AttentionRowPattern[F Float](pattern []F, q, k []F, ld int, rows []int32, scale F) {
	checkHead("AttentionRowPattern", len(q))
	checkSame("AttentionRowPattern: pattern", len(pattern), len(rows))
	checkListed("AttentionRowPattern: k", len(k), len(q), ld, rows)
	listedDots(pattern, q, k, ld, rows, scale)
	softmaxRow(pattern, pattern, 1)
}

// AttentionRowMix writes z[p] = Σ_j pattern[j]·v[rows[j],p], one chain over j.
func AttentionRowMix[F Float](z []F, pattern, v []F, ld int, rows []int32) {
	checkHead("AttentionRowMix", len(z))
	checkSame("AttentionRowMix: pattern", len(pattern), len(rows))
	checkListed("AttentionRowMix: v", len(v), len(z), ld, rows)
	listedSum(z, pattern, v, ld, rows)
}

// AttentionRowBackward writes the gradient dq of the query, and adds the gradients of the
// keys and values to the listed rows of dk and dv, given the gradient dz of
// AttentionRowMix's output:
//
//	dP[j] = Σ_p dz[p]·v[rows[j],p]                 one chain over p
//	dS[j] = P[j]·(dP[j] − Σ_j P[j]·dP[j])·scale    the sum on 16 virtual lanes
//	dq[p] = Σ_j dS[j]·k[rows[j],p]                 one chain over j
//	dk[rows[j],p] += dS[j]·q[p]
//	dv[rows[j],p] += P[j]·dz[p]
//
// scratch has at least one element for each listed row; it receives dS.
func AttentionRowBackward[F Float](dq, dk, dv []F, dz, pattern, q, k, v []F, ld int,
	rows []int32, scratch []F, scale F,
) {
	checkHead("AttentionRowBackward", len(q))
	checkSame("AttentionRowBackward: dq", len(dq), len(q))
	checkSame("AttentionRowBackward: dz", len(dz), len(q))
	checkSame("AttentionRowBackward: pattern", len(pattern), len(rows))
	checkLen("AttentionRowBackward: scratch", len(scratch), len(rows))
	checkListed("AttentionRowBackward: dk", len(dk), len(q), ld, rows)
	checkListed("AttentionRowBackward: dv", len(dv), len(q), ld, rows)
	checkListed("AttentionRowBackward: k", len(k), len(q), ld, rows)
	checkListed("AttentionRowBackward: v", len(v), len(q), ld, rows)
	ds := scratch[:len(rows)]
	listedDots(ds, dz, v, ld, rows, 1)
	softmaxRowBackward(ds, pattern, scale)
	listedSum(dq, ds, k, ld, rows)
	listedAdd(dk, ld, rows, ds, q)
	listedAdd(dv, ld, rows, pattern, dz)
}
