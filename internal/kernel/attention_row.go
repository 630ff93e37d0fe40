package kernel

func AttentionRowPattern[F Float](pattern, q, k []F, ld int, rows []int32, scale F) {
	for j, r := range rows {
		s := F(0)
		for p, x := range q {
			s = fma(x, k[int(r)*ld+p], s)
		}
		pattern[j] = F(s * scale)
	}
	Softmax(pattern, pattern, 1, len(rows))
}

func AttentionRowMix[F Float](z, pattern, v []F, ld int, rows []int32) {
	clear(z)
	for j, r := range rows {
		axpy(pattern[j], v[int(r)*ld:int(r)*ld+len(z)], z)
	}
}

func AttentionRowBackward[F Float](dq, dk, dv, dz, pattern, q, k, v []F, ld int, scratch []F, rows []int32, scale F) {
	ds := scratch[:len(rows)]
	h := len(q)
	for j, r := range rows {
		s := F(0)
		for p, x := range dz {
			s = fma(x, v[int(r)*ld+p], s)
		}
		ds[j] = s
	}
	mean := dot(pattern, ds)
	clear(dq)
	for j, r := range rows {
		i := int(r) * ld
		ds[j] = F(F(pattern[j]*(ds[j]-mean)) * scale)
		axpy(ds[j], k[i:i+h], dq)
		axpy(ds[j], q, dk[i:i+h])
		axpy(pattern[j], dz, dv[i:i+h])
	}
}
