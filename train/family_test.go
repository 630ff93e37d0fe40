package train

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// A family gives what Load gives, in any order, and its section is not part of it.
func TestFamily(t *testing.T) {
	const text = "process: {name: periodic, params: {pattern: AB}}\n" +
		"model: {d_model: 4, n_layers: 1, n_heads: 1, n_ctx: 3}\ntrain: {batch_size: 4, num_steps: 20, lr: 0.01}\n"
	plain := filepath.Join(t.TempDir(), "plain.yaml")
	with := filepath.Join(t.TempDir(), "with.yaml")
	for path, text := range map[string]string{plain: text, with: "study: {seeds: 3}\n" + text} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var section struct{ Seeds, Others int }
	section.Others = 7
	f, given, err := LoadFamily(with, "study", &section)
	if err != nil || !given || section.Seeds != 3 || section.Others != 7 {
		t.Fatalf("section %+v, %v, %v", section, given, err)
	}
	for _, assignments := range [][]string{{"train.lr=0.1", "model.d_model=8"}, {"train.seed=5"}, nil} {
		want, err := Load(plain, assignments...)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.With(assignments...); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %+v, %v; want %+v", assignments, got, err, want)
		}
	}
	if _, given, err := LoadFamily(plain, "study", &section); given || err != nil {
		t.Errorf("a file without the section: %v, %v", given, err)
	}
	_, _, err = LoadFamily(with, "study", &struct{ Seed int }{})
	if want := with + `:1:9: unknown key "seeds"; did you mean "seed"? (known: seed)`; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = f.With("train.lrr=1")
	if want := `train.lrr=1: unknown key "lrr" in train; did you mean "lr"?`; err == nil || err.Error()[:len(want)] != want {
		t.Errorf("got  %v\nwant %s …", err, want)
	}
}
