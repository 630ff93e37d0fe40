package main

import "github.com/mmcloughlin/avo/operand"

// peak writes a loop of independent multiply-adds in registers: 12 chains, the number in
// an AVX2 tile, four times in each round.
func peak(c *asm) {
	c.function("peak", "func(rounds int)")
	rounds := c.param("rounds")
	x := c.zero()
	acc := make([]vec, 12)
	for i := range acc {
		acc[i] = c.zero()
	}
	c.Label("loop")
	for range 4 {
		for i := range acc {
			c.fma(acc[i], x, x)
		}
	}
	c.DECQ(rounds)
	c.JNE(operand.LabelRef("loop"))
	c.end()
}
