package neon

import "fmt"

// class is the kind of a register.
type class int

const (
	general class = iota
	vector
)

// machine are the registers of each class that functions may use without saving them: all
// vector registers, and the general registers except Go's pointers (R27 to R30), the
// platform register (R18) and the linker's (R16, R17).
var machine = [...][]int{
	general: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25, 26},
	vector: {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
		17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	},
}

func (c *asm) gp() gp   { return gp{c.register(general)} }
func (c *asm) vec() vec { return vec{c.register(vector)} }

func (c *asm) register(k class) int {
	c.classes = append(c.classes, k)
	return len(c.classes) - 1
}

// allocate returns the machine register of each virtual one. Two registers of a class
// must differ if one is written while the other will still be read. Registers are
// coloured greedily in the order of their creation; there is no spilling, and a function
// that needs too many registers fails.
func (c *asm) allocate() []int {
	conflicts := c.conflicts()
	physical := make([]int, len(c.classes))
	for id, k := range c.classes {
		taken := map[int]bool{}
		for other := range conflicts[id] {
			if other < id && c.classes[other] == k {
				taken[physical[other]] = true
			}
		}
		physical[id] = -1
		for _, r := range machine[k] {
			if !taken[r] {
				physical[id] = r
				break
			}
		}
		if physical[id] < 0 {
			panic(fmt.Errorf("the function needs more registers than the machine has"))
		}
	}
	return physical
}

type set map[int]bool

// conflicts returns, for each virtual register, the registers that are alive where it is
// written.
func (c *asm) conflicts() []set {
	conflicts := make([]set, len(c.classes))
	for id := range conflicts {
		conflicts[id] = set{}
	}
	for i, out := range c.alive() {
		for _, d := range c.code[i].defs {
			for other := range out {
				if other != d {
					conflicts[d][other], conflicts[other][d] = true, true
				}
			}
		}
	}
	return conflicts
}

// alive returns, for each instruction, the registers whose values will still be read
// after it: those read by its successors, or preserved by them and read later.
func (c *asm) alive() []set {
	place := map[string]int{}
	for i, code := range c.code {
		if code.label != "" {
			place[code.label] = i
		}
	}
	in, out := make([]set, len(c.code)+1), make([]set, len(c.code))
	for i := range in {
		in[i] = set{}
	}
	for i := range out {
		out[i] = set{}
	}
	for changed := true; changed; {
		changed = false
		for i := len(c.code) - 1; i >= 0; i-- {
			code := c.code[i]
			if !code.leaves {
				out[i].add(in[i+1])
			}
			if code.target != "" {
				to, ok := place[code.target]
				if !ok {
					panic(fmt.Errorf("no label %s", code.target))
				}
				out[i].add(in[to])
			}
			before := len(in[i])
			in[i].add(out[i], code.defs...)
			for _, u := range code.uses {
				in[i][u] = true
			}
			changed = changed || len(in[i]) != before
		}
	}
	if len(in[0]) > 0 {
		panic(fmt.Errorf("reads a register before it is written"))
	}
	return out
}

// add adds the elements of t, except for those in without.
func (s set) add(t set, without ...int) {
next:
	for id := range t {
		for _, w := range without {
			if id == w {
				continue next
			}
		}
		s[id] = true
	}
}
