package kernel

import (
	"fmt"
	"testing"
	"time"
)

// peak is the greatest GFLOP/s of PeakLoop in a few tries.
func peak(b *testing.B) float64 {
	b.Helper()
	best := 0.0
	for range 20 {
		start := time.Now()
		flops := PeakLoop(1000)
		best = max(best, float64(flops)/time.Since(start).Seconds()/1e9)
	}
	return best
}

// onEachISA runs a benchmark on every instruction set of the machine but the Go loops.
func onEachISA(b *testing.B, run func(b *testing.B)) {
	defer func(s instructionSet) { isa = s }(isa)
	for _, s := range isas {
		isa = s
		if s != generic {
			b.Run(s.String(), run)
		}
	}
}

// reportRate turns a benchmark's time into GFLOP/s and its share of a peak.
func reportRate(b *testing.B, flops, peak float64) {
	rate := flops * float64(b.N) / b.Elapsed().Seconds() / 1e9
	b.ReportMetric(rate, "GFLOP/s")
	b.ReportMetric(100*rate/peak, "%peak")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkGemm(b *testing.B) {
	for _, s := range []struct {
		what       string
		m, n, k    int
		transposed bool
	}{
		{"tokens×d→d", 160, 64, 64, false},
		{"tokens×d→qkv", 160, 192, 64, false},
		{"tokens×d→mlp", 160, 256, 64, false},
		{"tokens×mlp→d", 160, 64, 256, false},
		{"tokens×d→V=3", 160, 3, 64, false},
		{"tokens×V=3→d", 160, 64, 3, false},
		{"dW d×mlp", 64, 256, 160, true},
		{"dW mlp×d", 256, 64, 160, true},
		{"dW d×V=5", 64, 5, 160, true},
		{"m=1", 1, 256, 64, false},
		{"large", 1024, 512, 512, false},
	} {
		b.Run(fmt.Sprintf("%s %d,%d,%d", s.what, s.m, s.n, s.k), func(b *testing.B) {
			onEachISA(b, func(b *testing.B) {
				r := newRand(1)
				x, y, z := normals[float32](r, s.m*s.k), normals[float32](r, s.k*s.n), make([]float32, s.m*s.n)
				ras, cas := s.k, 1
				if s.transposed {
					ras, cas = 1, s.m
				}
				b.ResetTimer()
				for b.Loop() {
					Gemm(s.m, s.n, s.k, x, ras, cas, y, s.n, z, s.n, false)
				}
				reportRate(b, 2*float64(s.m)*float64(s.n)*float64(s.k), peak(b))
			})
		})
	}
}

// BenchmarkElements times the kernels that pass over memory, in elements: the
// figure is nanoseconds for each element of their matrix.
func BenchmarkElements(b *testing.B) {
	const rows, n = 160, 256
	r := newRand(1)
	x, y, z := normals[float32](r, rows*n), normals[float32](r, rows*n), normals[float32](r, rows*n)
	u, v := normals[float32](r, n), normals[float32](r, n)
	mean, rstd := normals[float32](r, rows), make([]float32, rows)
	moment := make([]float32, rows*n)
	targets, weights := make([]int32, rows*n), make([]float32, rows*n)
	for i := range targets {
		weights[i] = 1
	}
	for i := range rstd {
		rstd[i] = 1
	}
	params := AdamParams{LR: 1e-9, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Step: 1}
	for _, k := range []struct {
		name string
		run  func()
	}{
		{"GELU", func() { Activate(GELU, y, x) }},
		{"GELU backward", func() { ActivateBackward(GELU, y, z, x) }},
		{"GELUNew", func() { Activate(GELUNew, y, x) }},
		{"GELUNew backward", func() { ActivateBackward(GELUNew, y, z, x) }},
		{"SiLU", func() { Activate(SiLU, y, x) }},
		{"ReLU", func() { Activate(ReLU, y, x) }},
		{"ReLU backward", func() { ActivateBackward(ReLU, y, z, x) }},
		{"LayerNorm n=64", func() { LayerNorm(y[:rows*64], mean, rstd, x[:rows*64], u[:64], v[:64], rows, 64, 1e-5) }},
		{"LayerNorm backward n=64", func() {
			LayerNormBackward(y[:rows*64], u[:64], v[:64], z[:rows*64], x[:rows*64], mean, rstd, u[:64], rows, 64)
		}},
		{"ColumnSums n=256", func() { ColumnSums(u, x, n, rows, n) }},
		{"Add", func() { Add(y, x) }},
		{"Transpose", func() { Transpose(y, rows, x, n, rows, n) }},
		{"Adam", func() { Adam(y, x, moment, moment, params) }},
		{"CrossEntropy V=32", func() { CrossEntropy(0, y, x, rows*n/32, 32, targets[:rows*n/32], weights[:rows*n/32]) }},
		{"CrossEntropy V=3", func() { CrossEntropy(0, y[:3*n], x[:3*n], n, 3, targets[:n], weights[:n]) }},
		{"Softmax V=32", func() { Softmax(y, x, rows*n/32, 32) }},
	} {
		elements := float64(rows * n)
		switch k.name {
		case "LayerNorm n=64", "LayerNorm backward n=64":
			elements = rows * 64
		case "CrossEntropy V=3":
			elements = 3 * n
		}
		b.Run(k.name, func(b *testing.B) {
			onEachISA(b, func(b *testing.B) {
				for b.Loop() {
					k.run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/elements, "ns/element")
				b.ReportMetric(0, "ns/op")
			})
		})
	}
}

// BenchmarkAttentionRow is attention of one query over t rows of a matrix that
// has a hundred times more.
func BenchmarkAttentionRow(b *testing.B) {
	for _, s := range [][2]int{{4, 64}, {10, 64}, {10, 16}, {64, 16}, {128, 32}} {
		t, dh := s[0], s[1]
		r := newRand(1)
		k, v := normals[float32](r, 100*t*dh), normals[float32](r, 100*t*dh)
		q, dq, z, pattern, scratch := k[:dh], make([]float32, dh), make([]float32, dh), make([]float32, t), make([]float32, t)
		dk, dv := make([]float32, len(k)), make([]float32, len(v))
		rows := make([]int32, t)
		for j := range rows {
			rows[j] = int32(r.IntN(100 * t))
		}
		b.Run(fmt.Sprintf("forward t=%d dh=%d", t, dh), func(b *testing.B) {
			onEachISA(b, func(b *testing.B) {
				for b.Loop() {
					attentionRow(z, pattern, q, k, v, dh, rows, 0.2)
				}
			})
		})
		b.Run(fmt.Sprintf("backward t=%d dh=%d", t, dh), func(b *testing.B) {
			onEachISA(b, func(b *testing.B) {
				for b.Loop() {
					AttentionRowBackward(dq, dk, dv, z, pattern, q, k, v, dh, rows, scratch, 0.2)
				}
			})
		})
	}
}

// BenchmarkAttention counts the unmasked half's operations alone.
func BenchmarkAttention(b *testing.B) {
	for _, s := range [][2]int{{10, 64}, {10, 32}, {64, 16}, {128, 32}, {512, 32}} {
		T, dh := s[0], s[1]
		r := newRand(1)
		q, k, v := normals[float32](r, T*dh), normals[float32](r, T*dh), normals[float32](r, T*dh)
		dq, dk, dv := normals[float32](r, T*dh), normals[float32](r, T*dh), normals[float32](r, T*dh)
		z, pattern, scratch := make([]float32, T*dh), make([]float32, T*T), make([]float32, AttentionScratch(T, dh))
		product := float64(T*(T+1)) * float64(dh) // of one product with a triangle
		b.Run(fmt.Sprintf("forward T=%d dh=%d", T, dh), func(b *testing.B) {
			onEachISA(b, func(b *testing.B) {
				for b.Loop() {
					Attention(z, dh, pattern, nil, q, k, v, dh, scratch, T, dh, 0.2)
				}
				reportRate(b, 2*product, peak(b))
			})
		})
		b.Run(fmt.Sprintf("backward T=%d dh=%d", T, dh), func(b *testing.B) {
			onEachISA(b, func(b *testing.B) {
				for b.Loop() {
					AttentionBackward(dq, dk, dv, z, dh, pattern, q, k, v, dh, scratch, T, dh, 0.2)
				}
				reportRate(b, 4*product, peak(b))
			})
		})
	}
}
