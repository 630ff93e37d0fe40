package kernel

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestNoKernelAllocates runs every kernel in both types on each instruction set.
func TestNoKernelAllocates(t *testing.T) {
	defer func(s instructionSet) { isa = s }(isa)
	for _, s := range isas {
		isa = s
		if n := testing.AllocsPerRun(10, everyKernel[float32]()); n != 0 {
			t.Errorf("float32 on %v: %v allocations", s, n)
		}
		const depth, n = 3, 21
		z, c, x := make([]float64, PanelsLen(depth, n)), make([]float64, n*n), make([]float64, n)
		if n := testing.AllocsPerRun(10, func() {
			GramRow(z, depth, 1, c[:n], x, 2)
			Gram(c, n, z, depth, depth, n)
		}); n != 0 {
			t.Errorf("Gram on %v: %v allocations", s, n)
		}
	}
	if n := testing.AllocsPerRun(10, everyKernel[float64]()); n != 0 {
		t.Errorf("float64: %v allocations", n)
	}
}

// notOfBoth are the exported functions that everyKernel need not call: those of float64
// alone, which TestNoKernelAllocates calls itself, and those that are no kernels.
var notOfBoth = []string{"Gram", "GramRow", "PanelsLen", "ISA", "Select", "PeakLoop", "AttentionScratch"}

// everyKernel calls each exported function of the package but those.
func TestEveryKernelIsCalled(t *testing.T) {
	set := token.NewFileSet()
	parse := func(name string) *ast.File {
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	exported, called := map[string]bool{}, map[string]bool{}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		for _, d := range parse(e.Name()).Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
				exported[f.Name.Name] = true
			}
		}
	}
	ast.Inspect(parse("alloc_test.go"), func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if name, ok := call.Fun.(*ast.Ident); ok {
				called[name.Name] = true
			}
		}
		return true
	})
	for _, name := range slices.Sorted(maps.Keys(exported)) {
		if !called[name] && !slices.Contains(notOfBoth, name) {
			t.Errorf("everyKernel does not call %s", name)
		}
	}
}

// everyKernel is a function that calls each kernel, in both types.
func everyKernel[F Float]() func() {
	const rows, n = 9, 20
	r := newRand(12)
	var x [12][]F
	for i := range x {
		x[i] = normals[F](r, AttentionScratch(rows, n))
	}
	u, v, w := x[9][:n], x[10][:n], x[11][:n]
	m := func(i int) []F { return x[i][:rows*n] }
	heads := Heads{Sequences: 1, Heads: 2, T: rows, Width: n / 2}
	scratch := make([]F, AttentionScratch(heads.T, heads.Width))
	ids := []int32{1, 0, 2, 1, 1, 0, 2, 3, 0}
	list := []int32{8, 0, 3}
	tree := [][]F{m(0), m(1), m(2)}
	return func() {
		Gemm(rows, n, rows, x[0], rows, 1, x[1], n, x[2], n, true)
		GemmBias(rows, n, rows, x[0], rows, 1, x[1], n, x[2], n, u)
		GemmAdd(rows, n, rows, x[0], rows, 1, x[1], n, x[2], n, u, x[3])
		Transpose(x[0], rows, x[1], n, rows, n)
		Copy(x[0], n, x[1], n, rows, n)
		ColumnSums(v, x[0], n, rows, n)
		Add(u, v)
		Sum(u, v, w)
		for act := ReLU; act <= SiLU; act++ {
			Activate(act, m(0), m(1))
			ActivateBackward(act, m(0), m(2), m(1))
			if act.HasSlope() {
				ActivateSlope(act, m(0), m(2), m(1))
			}
		}
		Product(u, v, w)
		AddTree(tree)
		LayerNorm(x[0], x[1], x[2], x[3], u, v, rows, n, 1e-5)
		LayerNormBackward(x[0], u, v, x[3], x[4], x[1], x[2], w, rows, n)
		Attention(x[0], n, x[1], x[2], x[3], x[4], x[5], n, x[6], rows, n, 0.1)
		AttentionPattern(x[1], nil, x[3], x[4], n, x[6], rows, n, 0.1)
		AttentionMix(x[0], n, x[1], x[5], n, rows, n)
		AttentionBackward(x[2], x[7], x[8], x[0], n, x[1], x[3], x[4], x[5], n, x[6], rows, n, 0.1)
		AttentionHeads(x[0], n, x[1], x[3], x[4], x[5], n, scratch, heads, 0.1)
		AttentionHeadsBackward(x[2], x[7], x[8], x[0], n, x[1], x[3], x[4], x[5], n, scratch, heads, 0.1)
		AttentionRowPattern(x[0][:len(list)], u, x[1], n, list, 0.1)
		AttentionRowMix(v, x[0][:len(list)], x[2], n, list)
		AttentionRowBackward(w, x[3], x[4], v, x[0][:len(list)], u, x[1], x[2], n, list, x[5], 0.1)
		Softmax(x[0], x[1], rows, n)
		SoftmaxBackward(x[0], x[1], rows, n, 0.1)
		CausalSoftmax(x[0], rows, x[1], rows+1, rows, 0.1)
		CausalSoftmaxBackward(x[1], rows, x[0], rows, rows, 0.1)
		CrossEntropy(0, x[0], x[1], rows, n, ids, x[2][:rows])
		SoftCrossEntropy(0, x[0], x[1], rows, n, m(2))
		Gather(x[0], x[1], ids[:8], n)
		ScatterAdd(x[0], x[1], ids[:8], n)
		Adam(u, v, w, x[0][:n], AdamParams{LR: 1e-3, Beta1: 0.9, Beta2: 0.99, Step: 3})
		SGD(u, v, w, SGDParams{LR: 1e-3, Momentum: 0.9})
	}
}
