package wasm

// peakRegisters is the number of vectors that peakLoop computes with.
const peakRegisters = 12

// peak writes the loop whose speed is the peak of multiply-adds: rounds of one on each of
// peakRegisters vectors.
func peak(m *module) {
	m.kernel("peakLoop", "p", func(f *function, p []local) {
		half, one := f.vec(all(0.5)), f.vec(all(1))
		var acc []local
		for range peakRegisters {
			acc = append(acc, f.vec(all(1)))
		}
		f.repeat(func() {
			for _, l := range acc {
				f.horner(l, half.get(), one.get())
			}
			f.advance(p[0], number(-1))
		}, p[0].get())
		sum := acc[0].get()
		for _, l := range acc[1:] {
			sum = fadd(sum, l.get())
		}
		f.when(anyTrue(fless(sum, all(0))), func() { f.do(expr{0x00}) }) // uses the results; never true
	})
}
