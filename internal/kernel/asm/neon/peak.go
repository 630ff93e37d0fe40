package neon

// peak writes a loop of independent multiply-adds on registers alone: 24
// chains, as many as a tile of gemm has, twice in a round.
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
