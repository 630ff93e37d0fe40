package walk

import "math"

// Formula is the right-hand side of an [Equation]: a tree of operations on named
// matrices. The same tree is typeset, in symbols or with numbers, and computed, which
// ensures that the displayed formula is the verified one.
type Formula interface {
	// compute returns the value of the formula. If bound is true, it returns instead an
	// upper bound on the magnitude of all intermediate results, computed by making every
	// number and every term positive. The rounding error of the formula is a small multiple
	// of this bound.
	compute(bound bool) Matrix
}

// Symbol is the name of a matrix: a letter, a subscript (a position, or which of several
// weights) and a superscript (a head or a layer). Subscript and superscript may be empty.
type Symbol struct{ Base, Sub, Sup string }

// operand is a matrix with its name.
type operand struct {
	symbol Symbol
	value  Matrix
	bare   bool // a single number, written without brackets
	// weights reports that each row is a distribution. An HTML page then colours the cells.
	weights bool
	weight  *origin // nil if the matrix is not a weight
}

// origin says which of the model's weights a matrix is. The matrix has the numbers of the
// weight from offset on, in the same order.
type origin struct {
	name   string
	shape  []int
	offset int
}

func (o operand) compute(bound bool) Matrix {
	if bound {
		return o.value.apply(math.Abs)
	}
	return o.value
}

// sum is the sum of its terms. A single row or column is added to each row or column.
type sum []Formula

func (s sum) compute(bound bool) Matrix {
	total := s[0].compute(bound)
	for _, term := range s[1:] {
		total = combine(total, term.compute(bound), func(x, y float64) float64 { return x + y })
	}
	return total
}

// difference is a − b.
type difference struct{ a, b Formula }

func (d difference) compute(bound bool) Matrix {
	sign := -1.0
	if bound {
		sign = 1
	}
	return combine(d.a.compute(bound), d.b.compute(bound), func(x, y float64) float64 { return x + sign*y })
}

// product is the matrix product a·b.
type product struct{ a, b Formula }

func (p product) compute(bound bool) Matrix { return multiply(p.a.compute(bound), p.b.compute(bound)) }

// elementwise is a ⊙ b.
type elementwise struct{ a, b Formula }

func (e elementwise) compute(bound bool) Matrix {
	return combine(e.a.compute(bound), e.b.compute(bound), func(x, y float64) float64 { return x * y })
}

// quotient is a / b, element by element.
type quotient struct{ a, b Formula }

func (q quotient) compute(bound bool) Matrix {
	return combine(q.a.compute(bound), q.b.compute(bound), func(x, y float64) float64 { return x / y })
}

// root is √a, element by element; a is positive.
type root struct{ a Formula }

func (r root) compute(bound bool) Matrix { return r.a.compute(bound).apply(math.Sqrt) }

// transposed is aᵀ.
type transposed struct{ a operand }

func (t transposed) compute(bound bool) Matrix { return t.a.compute(bound).transpose() }

// blocks is [a b c], matrices side by side.
type blocks []operand

func (b blocks) compute(bound bool) Matrix {
	var list []Matrix
	for _, o := range b {
		list = append(list, o.compute(bound))
	}
	return beside(list)
}

// bars returns the columns at which a new block begins.
func (b blocks) bars() []int {
	var bars []int
	at := 0
	for _, o := range b[:len(b)-1] {
		at += o.value.Columns
		bars = append(bars, at)
	}
	return bars
}

// rows is a[i, j, …]: selected rows of a, an operand or a transposed operand.
type rows struct {
	a       Formula
	indices []int
}

func (r rows) compute(bound bool) Matrix {
	from := r.a.compute(bound)
	out := zeros(len(r.indices), from.Columns)
	for i, k := range r.indices {
		copy(out.Row(i), from.Row(k))
	}
	return out
}

// call is f(a).
type call struct {
	f function
	a Formula
}

func (c call) compute(bound bool) Matrix {
	if bound {
		return c.f.bound(c.a.compute(true))
	}
	return c.f.value(c.a.compute(false))
}

// operands returns the operands of a formula from left to right, without repetition.
func operands(f Formula) []operand {
	var list []operand
	seen := map[Symbol]bool{}
	var visit func(Formula)
	visit = func(f Formula) {
		switch f := f.(type) {
		case operand:
			if !seen[f.symbol] {
				seen[f.symbol] = true
				list = append(list, f)
			}
		case sum:
			for _, term := range f {
				visit(term)
			}
		case difference:
			visit(f.a)
			visit(f.b)
		case product:
			visit(f.a)
			visit(f.b)
		case elementwise:
			visit(f.a)
			visit(f.b)
		case quotient:
			visit(f.a)
			visit(f.b)
		case root:
			visit(f.a)
		case transposed:
			visit(f.a)
		case blocks:
			for _, o := range f {
				visit(o)
			}
		case rows:
			visit(f.a)
		case call:
			visit(f.a)
		}
	}
	visit(f)
	return list
}
