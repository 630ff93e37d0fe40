package walk

// notation typesets the parts of a formula in one format. T is a piece of a formula;
// lines can break between pieces. Operators are = + − · ⊙ /.
type notation[T any] interface {
	symbol(s Symbol, transposed bool) T
	number(x float64) T // a number without brackets
	matrix(m shown) T
	block(parts []T) T                // matrices side by side: [a b c]
	operator(op string, operand T) T  // an operator and its operand
	group(inside []T) []T             // a formula in parentheses: (a)
	fraction(above, below []T) []T    // a fraction: above over below
	root(inside []T) T                // a root: √a
	call(name string, inside []T) []T // a function call: name(a)
	index(piece T, indices []int) []T // selected rows: a[i, j]
}

// shown is a matrix with the details that a notation needs.
type shown struct {
	Matrix
	bars          []int    // a bar precedes these columns
	rows, columns []string // names of rows and columns; may be nil
	weights       bool     // each row is a distribution
}

// shown returns the equation's result for typesetting.
func (e Equation) shown() shown {
	s := shown{Matrix: e.Result(), rows: e.RowNames, columns: e.ColumnNames}
	switch left := e.Left.(type) {
	case operand:
		s.weights = left.weights
	case blocks:
		s.bars = left.bars()
	}
	return s
}

// inSymbols returns an equation in symbols.
func inSymbols[T any](n notation[T], e Equation) []T {
	return append(typeset(n, e.Left, false), after(n, "=", typeset(n, e.Right, false))...)
}

// inNumbers returns the right-hand side of an equation with its numbers, and its result.
func inNumbers[T any](n notation[T], e Equation) []T {
	return append(after(n, "=", typeset(n, e.Right, true)), n.operator("=", n.matrix(e.shown())))
}

// typeset returns a formula in symbols or with its numbers.
func typeset[T any](n notation[T], f Formula, numbers bool) []T {
	switch f := f.(type) {
	case operand:
		return []T{leaf(n, f, numbers, false)}
	case transposed:
		return []T{leaf(n, f.a, numbers, true)}
	case blocks:
		if numbers {
			return []T{n.matrix(shown{Matrix: f.compute(false), bars: f.bars()})}
		}
		var parts []T
		for _, o := range f {
			parts = append(parts, n.symbol(o.symbol, false))
		}
		return []T{n.block(parts)}
	case sum:
		pieces := typeset(n, f[0], numbers)
		for _, term := range f[1:] {
			pieces = append(pieces, after(n, "+", typeset(n, term, numbers))...)
		}
		return pieces
	case difference:
		return append(typeset(n, f.a, numbers), after(n, "−", factor(n, f.b, numbers))...)
	case product:
		return append(factor(n, f.a, numbers), after(n, "·", factor(n, f.b, numbers))...)
	case elementwise:
		return append(factor(n, f.a, numbers), after(n, "⊙", factor(n, f.b, numbers))...)
	case quotient:
		if !numbers {
			return n.fraction(typeset(n, f.a, false), typeset(n, f.b, false))
		}
		return append(factor(n, f.a, true), after(n, "/", factor(n, f.b, true))...)
	case root:
		return []T{n.root(typeset(n, f.a, numbers))}
	case call:
		return n.call(f.f.name, typeset(n, f.a, numbers))
	case rows:
		return n.index(typeset(n, f.a, numbers)[0], f.indices)
	}
	panic("walk: no notation for this formula")
}

// factor returns a formula as a factor of a product, with parentheses if it is a sum or a
// difference.
func factor[T any](n notation[T], f Formula, numbers bool) []T {
	pieces := typeset(n, f, numbers)
	switch f.(type) {
	case sum, difference:
		return n.group(pieces)
	}
	return pieces
}

// leaf returns an operand's symbol or its numbers.
func leaf[T any](n notation[T], o operand, numbers, transpose bool) T {
	switch {
	case !numbers:
		return n.symbol(o.symbol, transpose)
	case o.bare:
		return n.number(o.value.Data[0])
	case transpose:
		return n.matrix(shown{Matrix: o.value.transpose()})
	}
	return n.matrix(shown{Matrix: o.value, weights: o.weights})
}

// after puts an operator in front of the first piece.
func after[T any](n notation[T], op string, pieces []T) []T {
	pieces[0] = n.operator(op, pieces[0])
	return pieces
}
