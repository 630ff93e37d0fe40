package inspect

import (
	"fmt"
	"strconv"
	"strings"

	"foretell/internal/decimal"
	"foretell/internal/strict"
	"foretell/internal/text"
	"foretell/model"
)

// With returns a copy of the model in float64 with some weights changed. Each change is
// a weight's name, its indices from 0 and its new value, such as
// blocks.0.mlp.W_in[0,3]=0.5; a change may be of the whole list of a vector,
// unembed.b_U[2]=1. Without changes it is [Model.Float64].
func (m *Model) With(changes []string) (*model.Transformer[float64], error) {
	if len(changes) == 0 {
		return m.Float64(), nil
	}
	changed := model.Convert[float64](m.Float64())
	for _, change := range changes {
		if err := set(changed.Weights, change); err != nil {
			return nil, err
		}
	}
	changed.Pack()
	return changed, nil
}

// set makes one change of [Model.With].
func set(w *model.Weights[float64], change string) error {
	place, value, assigned := strings.Cut(change, "=")
	name, indices, indexed := strings.Cut(strings.TrimSuffix(strings.TrimSpace(place), "]"), "[")
	if !assigned || !indexed || !strings.HasSuffix(strings.TrimSpace(place), "]") {
		return fmt.Errorf("%.80q is not of the form NAME[i,j]=VALUE, such as unembed.W_U[0,1]=0.5", change)
	}
	var names []string
	for _, t := range w.Tensors {
		if t.Name == name {
			at, err := offset(t, indices)
			if err != nil {
				return err
			}
			t.Data[at], err = decimal.Parse(strings.TrimSpace(value), 64)
			if err != nil {
				return fmt.Errorf("%s = %.80q: want a finite number, such as 0.5: %w", t.Name, value, err)
			}
			return nil
		}
		names = append(names, t.Name)
	}
	return fmt.Errorf("the model has no weight %.80q: %s", name, strict.Choice(name, names))
}

// offset returns the place in a weight's data of indices, such as 0,3.
func offset(t model.Tensor[float64], indices string) (at int, err error) {
	list := strings.Split(indices, ",")
	if len(list) != len(t.Shape) {
		return 0, fmt.Errorf("%s with indices %.80q: give %s, one for each axis of its shape %v", t.Name, indices,
			text.Count(len(t.Shape), "number"), t.Shape)
	}
	for axis, digits := range list {
		i, err := strconv.Atoi(strings.TrimSpace(digits))
		if err != nil || i < 0 || i >= t.Shape[axis] {
			return 0, fmt.Errorf("%s with indices %.80q: index %.80q is outside [0, %d]", t.Name, indices, digits,
				t.Shape[axis]-1)
		}
		at = at*t.Shape[axis] + i
	}
	return at, nil
}
