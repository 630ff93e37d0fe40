package kernel

// Causal attention of one head over one sequence of T positions.
//
// q, k and v are (T,dh) matrices with the same leading dimension ld. The heads can
// therefore be columns of one (T, heads·dh) matrix, or of a (T, 3·heads·dh) matrix if one
// product computes all three. z is (T,dh) with leading dimension ldz. The pattern and the
// scores are contiguous (T,T) matrices. No kernel reads or writes the half j > i of a
// (T,T) matrix.

// AttentionScratch returns the number of scratch elements that the attention kernels use
// for up to T positions and heads of width dh. Their contents afterwards are unspecified.
func AttentionScratch(T, dh int) int {
	return max(headScratch(T, dh), Heads{T: T, Width: dh}.sideScratch())
}

// headScratch is the number of scratch elements that a single head needs.
func headScratch(T, dh int) int { return padToLanes(T) * (dh + T) }

// padToLanes returns the smallest multiple of lanes that is greater than T. The matrices
// in the scratch have this leading dimension: a transposed matrix (dh,T), and after it
// the scores or their gradient (T,T).
func padToLanes(T int) int { return (T/lanes + 1) * lanes }

// Attention is AttentionPattern followed by AttentionMix.
func Attention[F Float](z []F, ldz int, pattern, scores []F, q, k, v []F, ld int, scratch []F, T, dh int, scale F) {
	AttentionPattern(pattern, scores, q, k, ld, scratch, T, dh, scale)
	AttentionMix(z, ldz, pattern, v, ld, T, dh)
}

// AttentionPattern writes the (T,T) attention pattern of q and k: for j ≤ i
//
//	s[i,j] = scale·Σ_p q[i,p]·k[j,p]         one chain over p
//	pattern[i,:i+1] = Softmax(s[i,:i+1])
//
// scores, if not nil, receives s for j ≤ i.
func AttentionPattern[F Float](pattern, scores []F, q, k []F, ld int, scratch []F, T, dh int, scale F) {
	checkHead("AttentionPattern", dh)
	checkMatrix("AttentionPattern: pattern", len(pattern), T, T, T)
	checkMatrix("AttentionPattern: q", len(q), T, dh, ld)
	checkMatrix("AttentionPattern: k", len(k), T, dh, ld)
	checkLen("AttentionPattern: scratch", len(scratch), headScratch(T, dh))
	if scores != nil {
		checkMatrix("AttentionPattern: scores", len(scores), T, T, T)
	}
	padded := padToLanes(T)
	transposed, raw := scratch[:dh*padded], scratch[dh*padded:]
	Transpose(transposed, padded, k, ld, T, dh)
	for first := 0; first < T; first += band {
		rows, s := min(band, T-first), raw[first*padded:]
		Gemm(rows, first+rows, dh, q[first*ld:], ld, 1, transposed, padded, s, padded, false)
		if scores != nil {
			scaledScores(scores[first*T:], T, s, padded, first, rows, scale)
		}
		causalSoftmax(pattern[first*T:], T, s, padded, first, rows, scale)
	}
}

// band is the number of rows of scores that are computed and then passed to the softmax
// together, while they are still in the cache. It equals the height of one or two of
// Gemm's tiles.
const band = 12

// scaledScores writes s·scale to scores for the unmasked elements, j ≤ i, of a band of
// rows.
func scaledScores[F Float](scores []F, T int, s []F, ld, first, rows int, scale F) {
	for i := range rows {
		for j, v := range s[i*ld : i*ld+first+i+1] {
			scores[i*T+j] = v * scale
		}
	}
}

// AttentionMix writes z[i,:] = Σ_{j≤i} pattern[i,j]·v[j,:], one chain over j.
func AttentionMix[F Float](z []F, ldz int, pattern, v []F, ldv, T, dh int) {
	checkHead("AttentionMix", dh)
	checkMatrix("AttentionMix: z", len(z), T, dh, ldz)
	checkMatrix("AttentionMix: pattern", len(pattern), T, T, T)
	checkMatrix("AttentionMix: v", len(v), T, dh, ldv)
	lower(T, dh, pattern, T, 1, v, ldv, z, ldz)
}

// AttentionBackward writes the gradients dq, dk and dv (T,dh; leading dimension ld, like
// q, k and v), given the gradient dz of Attention's output. With the pattern P, and sums
// over the unmasked half only,
//
//	dP[i,j] = Σ_p dz[i,p]·v[j,p]
//	dS[i,j] = P[i,j]·(dP[i,j] − Σ_j P[i,j]·dP[i,j])·scale
//	dq[i,:] = Σ_{j≤i} dS[i,j]·k[j,:]
//	dk[j,:] = Σ_{i≥j} dS[i,j]·q[i,:]
//	dv[j,:] = Σ_{i≥j} P[i,j]·dz[i,:]
//
// Each sum is a chain, except the sum in dS, which uses 16 virtual lanes.
func AttentionBackward[F Float](dq, dk, dv []F, dz []F, ldz int, pattern, q, k, v []F, ld int,
	scratch []F, T, dh int, scale F,
) {
	checkHead("AttentionBackward", dh)
	checkMatrix("AttentionBackward: dq", len(dq), T, dh, ld)
	checkMatrix("AttentionBackward: dk", len(dk), T, dh, ld)
	checkMatrix("AttentionBackward: dv", len(dv), T, dh, ld)
	checkMatrix("AttentionBackward: dz", len(dz), T, dh, ldz)
	checkMatrix("AttentionBackward: pattern", len(pattern), T, T, T)
	checkMatrix("AttentionBackward: q", len(q), T, dh, ld)
	checkMatrix("AttentionBackward: k", len(k), T, dh, ld)
	checkMatrix("AttentionBackward: v", len(v), T, dh, ld)
	checkLen("AttentionBackward: scratch", len(scratch), headScratch(T, dh))
	padded := padToLanes(T)
	transposed, ds := scratch[:dh*padded], scratch[dh*padded:]
	Transpose(transposed, padded, v, ld, T, dh)
	for first := 0; first < T; first += band {
		rows, d := min(band, T-first), ds[first*padded:]
		Gemm(rows, first+rows, dh, dz[first*ldz:], ldz, 1, transposed, padded, d, padded, false)
		causalSoftmaxBackward(d, padded, pattern[first*T:], T, first, rows, scale)
	}
	lower(T, dh, ds, padded, 1, k, ld, dq, ld)
	upper(T, dh, ds, 1, padded, q, ld, dk, ld)
	upper(T, dh, pattern, 1, T, dz, ldz, dv, ld)
}
