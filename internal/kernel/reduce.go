package kernel

// lanes is the number of virtual lanes of every reduction along a row.
const lanes = 16

// reduce adds 16 lanes pairwise at distance 8, 4, 2, 1.
func reduce[F Float](l *[lanes]F) F {
	for d := lanes / 2; d > 0; d /= 2 {
		for i := range d {
			l[i] += l[i+d]
		}
	}
	return l[0]
}

// sum adds the elements of x on 16 virtual lanes.
func sum[F Float](x []F) F {
	var acc [lanes]F
	for j := 0; j < len(x); j += lanes {
		for l := range acc {
			acc[l] += at(x, j+l)
		}
	}
	return reduce(&acc)
}

// dot is Σ x[j]·y[j] on 16 virtual lanes, each a chain of multiply-adds.
func dot[F Float](x, y []F) F {
	var acc [lanes]F
	for j := 0; j < len(x); j += lanes {
		for l := range acc {
			acc[l] = fma(at(x, j+l), at(y, j+l), acc[l])
		}
	}
	return reduce(&acc)
}

// at returns x[j], or +0 past the end.
func at[F Float](x []F, j int) F {
	if j < len(x) {
		return x[j]
	}
	return 0
}
