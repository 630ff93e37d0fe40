package walk

import (
	"encoding/json"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// mostBehind is the largest number of matrix entries that a page contains in order to
// show the sums from which its results were computed. Results beyond that limit are shown
// without their sums.
const mostBehind = 200_000

// pageData holds the data of the page's script: the matrices, each once, and the
// right-hand side of each equation as a tree.
type pageData struct {
	digits, size int
	matrices     []string
	places       map[string]int // index of a matrix, by its text
	numbers      int            // number of entries in all matrices
	equations    []string
}

// add stores an equation and returns its index, or −1 if there is no room.
func (d *pageData) add(e Equation) int {
	if m := e.Result(); m.summarised(d.size) || d.numbers+d.unknown(e.Right) > mostBehind {
		return -1
	}
	return d.keep(e, d.tree(e.Right))
}

// addHeat stores an equation whose result is a heat map: its tree, or the result alone if
// there is no room for the tree, then the index of the result and the names of its rows
// and columns. It returns the equation's index, or −1 if there is no room for the result.
func (d *pageData) addHeat(e Equation) int {
	m := e.Result()
	switch size := len(m.Data); {
	case d.numbers+size+d.unknown(e.Right) <= mostBehind:
		return d.keep(e, d.tree(e.Right), d.matrix(m), e.RowNames, e.ColumnNames)
	case d.numbers+size <= mostBehind+mostHeat:
		return d.keep(e, d.leaf(m, false), d.matrix(m), e.RowNames, e.ColumnNames)
	}
	return -1
}

// keep stores the parts of an equation, after the symbols of its left-hand side, and
// returns its index.
func (d *pageData) keep(e Equation, parts ...any) int {
	name := formulaText(typeset(textNotation{}, e.Left, false))
	d.equations = append(d.equations, mustJSON(append([]any{name}, parts...)))
	return len(d.equations) - 1
}

// unknown returns an upper bound on the number of matrix entries that a formula would add
// to the page.
func (d *pageData) unknown(f Formula) int {
	n := 0
	if p, ok := f.(product); ok {
		if _, ok := p.a.(product); ok {
			return len(p.a.compute(false).Data) + d.unknown(p.b)
		}
	}
	for _, o := range operands(f) {
		n += len(o.value.Data)
	}
	return n
}

// tree returns a formula as nested lists: the kind of node, then its operands. A leaf
// also records whether its numbers are on the page.
func (d *pageData) tree(f Formula) any {
	switch f := f.(type) {
	case operand:
		return d.leaf(f.value, !f.bare)
	case transposed:
		return d.leaf(f.a.value.transpose(), true)
	case blocks:
		return d.leaf(f.compute(false), true)
	case sum:
		node := []any{"+"}
		for _, term := range f {
			node = append(node, d.tree(term))
		}
		return node
	case difference:
		return []any{"-", d.tree(f.a), d.tree(f.b)}
	case product:
		if inner, ok := f.a.(product); ok { // the script shows the inner product as finished numbers
			return []any{"·", d.leaf(inner.compute(false), false), d.tree(f.b)}
		}
		return []any{"·", d.tree(f.a), d.tree(f.b)}
	case elementwise:
		return []any{"⊙", d.tree(f.a), d.tree(f.b)}
	case quotient:
		return []any{"/", d.tree(f.a), d.tree(f.b)}
	case root:
		return []any{"√", d.tree(f.a)}
	case rows:
		return []any{"[]", d.tree(f.a), f.indices}
	case call:
		return []any{"f", f.f.name, d.tree(f.a), d.matrix(f.compute(false))}
	}
	panic("walk: no tree for this formula")
}

func (d *pageData) leaf(m Matrix, written bool) []any {
	on := 0
	if written && !m.summarised(d.size) {
		on = 1
	}
	return []any{"m", d.matrix(m), on}
}

// matrix stores a matrix, unless it is stored already, and returns its index.
func (d *pageData) matrix(m Matrix) int {
	var b strings.Builder
	b.WriteString("[" + strconv.Itoa(m.Rows) + "," + strconv.Itoa(m.Columns))
	for _, x := range m.Data {
		b.WriteByte(',')
		switch {
		case math.IsInf(x, 0) || math.IsNaN(x):
			b.WriteString("null") // −∞ in a mask
		default:
			b.WriteString(strconv.FormatFloat(x, 'g', d.digits+4, 64))
		}
	}
	b.WriteByte(']')
	text := b.String()
	place, known := d.places[text]
	if !known {
		place = len(d.matrices)
		d.matrices = append(d.matrices, text)
		d.places[text] = place
		d.numbers += len(m.Data)
	}
	return place
}

// script returns the data as JSON that is safe inside a script element.
func (d *pageData) script() template.JS {
	text := `{"digits":` + strconv.Itoa(d.digits) + `,"matrices":[` + strings.Join(d.matrices, ",") +
		`],"equations":[` + strings.Join(d.equations, ",") + `]}`
	return template.JS(text)
}

// mustJSON encodes a value that is known to be encodable. json.Marshal escapes <, which
// could end a script element.
func mustJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic("walk: " + err.Error())
	}
	return string(data)
}
