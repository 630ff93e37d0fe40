package neon

// peak writes a loop of independent multiply-adds in registers: 24 chains, the number in
// a tile of gemm, twice in each round.
func peak(c *asm) {
	c.function("peak", "func(rounds int)")
	x := c.zero()
	acc := make([]vec, 24)
	for i := range acc {
		acc[i] = c.zero()
	}
	c.repeat(c.param("rounds"), func() {
		for range 2 {
			for i := range acc {
				c.fma(acc[i], x, x)
			}
		}
	})
	c.end()
}
