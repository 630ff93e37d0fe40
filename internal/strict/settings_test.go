package strict

import (
	"fmt"
	"testing"
)

func TestSettings(t *testing.T) {
	d, err := Parse("c.yaml", []byte(`process: {name: "mess3", params: {x: 1.5e-1, of: [{name: a}, b]}}
model: {n_heads: [1, 3]}
train: {lr: 1.0e-03, seed: 7, note: }
`))
	if err != nil {
		t.Fatal(err)
	}
	want := "[{process.name mess3} {process.params.x 0.15} {process.params.of [{name: a}, b]} " +
		"{model.n_heads [1, 3]} {train.lr 0.001} {train.seed 7} {train.note }]"
	if got := fmt.Sprint(d.Settings()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
