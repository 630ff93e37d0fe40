package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/process"
)

// The configuration of a training, and the folder of a run, stand for the process that is
// learned.
func TestFindOfARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config.yaml")
	text := "process: {name: mess3, params: {x: 0.2}}\nmodel: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 4}\n" +
		"train: {batch_size: 8, num_steps: 4, lr: 1e-3}\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, config} {
		s, err := Find(path, nil)
		if err != nil || s.Entry.Name != "mess3" || s.Params["x"] != 0.2 || s.Params["a"] != 0.6 || s.Process.Name() != "mess3" {
			t.Errorf("%s: %+v, %v", path, s, err)
		}
	}
	if _, err := Find(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "config.yaml: no such file or directory") {
		t.Errorf("%v", err)
	}
}

func failure[T any](_ T, err error) error { return err }

// What cannot be found or opened is one line without a flag of any command.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "c.yaml")
	text := "process: {name: mess3}\nmodel: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 4}\ntrain: {batch_size: 8, num_steps: 4, lr: 1e-3}\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	crafted, err := Open("craft:coin", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{failure(Find("a.yaml", process.Params{"x": 0.7})), "a.yaml is a file; give parameters in it"},
		{failure(Open("craft:coi", nil)), `unknown construction "coi": did you mean "coin"?`},
		{failure(Open(dir, process.Params{"a": 1})), dir + " is not a hand-written model (craft:NAME); other models take no parameters"},
		{failure(Open(dir, nil)), dir + " holds no run or model: it has no config.yaml"},
		{failure(crafted.Predict(nil)), "0 tokens given; the model takes 1 to 1024, such as 0,1"},
		{failure(crafted.Predict([]int32{1})), "coin: token 1 at position 1: want token 2 (BOS); a possible sequence is BOS,tails,heads"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", c.err, c.want)
		}
	}
}
