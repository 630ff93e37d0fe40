package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/reg"
)

// identify writes the function that executes CPUID.
func identify(c *asm) {
	if c.isa == avx2 { // both instruction sets share the function that is written for AVX-512
		return
	}
	c.Function("cpuid")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(leaf uint32) (eax, ebx, ecx, edx uint32)")
	c.Load(c.Param("leaf"), reg.EAX)
	c.XORL(reg.ECX, reg.ECX)
	c.CPUID()
	c.Store(reg.EAX, c.Return("eax"))
	c.Store(reg.EBX, c.Return("ebx"))
	c.Store(reg.ECX, c.Return("ecx"))
	c.Store(reg.EDX, c.Return("edx"))
	c.RET()
}
