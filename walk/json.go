package walk

import (
	"encoding/json"
	"math"
	"strings"
)

// matrixJSON is the JSON form of a matrix: a list of rows. The −∞ of a mask is null.
type matrixJSON struct {
	Symbol  string       `json:"symbol"`
	Rows    int          `json:"rows"`
	Columns int          `json:"columns"`
	Norm    *float64     `json:"norm"`
	Values  [][]*float64 `json:"values"`
	// Weight is the name of the model's weight, of the shape WeightShape, whose numbers from
	// WeightOffset on the matrix has, in the same order. They are left out for an
	// activation.
	Weight       string `json:"weight,omitempty"`
	WeightShape  []int  `json:"weight_shape,omitempty"`
	WeightOffset *int   `json:"weight_offset,omitempty"`
}

// of says from which weight the matrix is, if it is from one.
func (m matrixJSON) of(w *origin) matrixJSON {
	if w != nil {
		m.Weight, m.WeightShape, m.WeightOffset = w.name, w.shape, &w.offset
	}
	return m
}

func newMatrixJSON(symbol string, m Matrix) matrixJSON {
	out := matrixJSON{Symbol: symbol, Rows: m.Rows, Columns: m.Columns, Norm: finite(m.Norm())}
	for i := range m.Rows {
		row := make([]*float64, m.Columns)
		for j, x := range m.Row(i) {
			row[j] = finite(x)
		}
		out.Values = append(out.Values, row)
	}
	return out
}

// finite returns &x, or nil (null in JSON) for an infinity or NaN.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// MarshalJSON returns the equation in symbols, as text and as TeX, with the numbers of
// its operands and its result.
func (e Equation) MarshalJSON() ([]byte, error) {
	out := struct {
		Formula  string       `json:"formula"`
		TeX      string       `json:"tex"`
		Operands []matrixJSON `json:"operands"`
		Result   matrixJSON   `json:"result"`
	}{
		Formula: e.String(), TeX: strings.Join(inSymbols(texNotation{}, e), " "),
		Result: newMatrixJSON(formulaText(typeset(textNotation{}, e.Left, false)), e.Result()),
	}
	for _, o := range operands(e.Right) {
		out.Operands = append(out.Operands, newMatrixJSON(o.symbol.String(), o.value).of(o.weight))
	}
	return json.Marshal(out)
}

// MarshalJSON returns the contribution with its formula in symbols.
func (c Contribution) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Component string  `json:"component"`
		Formula   string  `json:"formula"`
		Value     float64 `json:"value"`
	}{c.Component, formulaText(typeset(textNotation{}, c.Formula, false)), c.Value})
}
