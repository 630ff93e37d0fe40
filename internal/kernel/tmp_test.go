package kernel
import "testing"
func BenchmarkTmp(b *testing.B) {
	const T, dh = 10, 64
	r := newRand(1)
	q, k := normals[float32](r, T*dh), normals[float32](r, T*dh)
	z, p := make([]float32, T*dh), make([]float32, T*T)
	scratch := make([]float32, 16*64+160)
	for _, f := range []struct{ n string; f func() }{
		{"softmaxRows", func() { softmaxRows(p, T, scratch, 16, T, 1, 1, 0.2) }},
		{"softmaxRowsBackward", func() { softmaxRowsBackward(scratch, 16, p, T, T, 1, 1, 0.2) }},
		{"transpose", func() { Transpose(scratch, 16, k, dh, T, dh) }},
		{"outer", func() { lowerOuter(T, dh, q, dh, scratch, 16, scratch[64*16:], 16) }},
		{"lower", func() { lower(T, dh, p, T, 1, q, dh, z, dh) }},
		{"upper", func() { upper(T, dh, p, 1, T, q, dh, z, dh) }},
		{"all", func() { Attention(z, dh, p, nil, q, k, q, dh, scratch, T, dh, 0.2) }},
	} {
		b.Run(f.n, func(b *testing.B) { onEachISA(b, func(b *testing.B) { for b.Loop() { f.f() } }) })
	}
}
