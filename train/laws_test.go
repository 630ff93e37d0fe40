package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"foretell/process"
)

// The loss is near chance while it is no further above it than chance is above the floor,
// or, without a floor, up to twice chance.
func TestNearChanceByItsDistance(t *testing.T) {
	for _, test := range []struct{ floor, chance, loss float64 }{
		{0.5, 1, 0.2}, {0.5, 1, 1}, {0.5, 1, 1.5}, {0.5, 1, math.Nextafter(1.5, 2)}, {0, 1, 2}, {0, 1, 2.001}, {1, 1, 1.001},
	} {
		e := Evaluation{LossEval: test.loss, Chance: test.chance, Optimum: &Optimum{Floor: test.floor}}
		if want := test.loss-test.chance <= test.chance-test.floor; e.NearChance() != want {
			t.Errorf("%+v is near chance: %v", test, !want)
		}
		e.Optimum = nil
		if want := test.loss <= 2*test.chance; e.NearChance() != want {
			t.Errorf("%+v without its floor is near chance: %v", test, !want)
		}
	}
}

// A row and a sentence hold the same numbers: the loss, the floor, chance, and how much
// of the gap is closed.
func TestRowAndSummarySayTheSame(t *testing.T) {
	closed := 0.75
	e := Evaluation{LossEval: 0.62512, Chance: 1.12525, GapClosed: &closed, Optimum: &Optimum{Floor: 0.43751, KL: 0.00321}}
	for _, text := range []string{e.Row(), strings.Join(e.Summary(), "\n")} {
		for _, number := range []string{"0.62512", "0.43751", "0.00321", "75.0 %"} {
			if !strings.Contains(text, number) {
				t.Errorf("%q does not say %s", text, number)
			}
		}
		if strings.Contains(text, "memorised") {
			t.Errorf("%q says that something is memorised", text)
		}
	}
	e.Memorised = true
	for _, text := range []string{e.Row(), strings.Join(e.Summary(), "\n"), e.GapText("%.1f")} {
		if !strings.Contains(text, "memorised") {
			t.Errorf("%q does not say that the recording is memorised", text)
		}
	}
	texts := map[string]bool{}
	for exact := range 4 {
		texts[MeanOver(exact, 3)] = true
	}
	if len(texts) != 3 || MeanOver(1, 3) != MeanOver(2, 3) {
		t.Errorf("of three models the losses are means over %v", texts)
	}
}

// A share of the gap is written as its format has it, but not as the whole of it unless
// it is; below 0, and where there is no gap, it is no number.
func TestGapTextByItsShare(t *testing.T) {
	for share, want := range map[float64]string{0: "0.0", 0.25: "25.0", 0.99949: "99.9", 0.9996: "99.9", 1 - 1e-15: "99.9", 1: "100.0"} {
		if got := (Evaluation{GapClosed: &share}).GapText("%.1f"); got != want {
			t.Errorf("%v is %s, want %s", share, got, want)
		}
	}
	below := -1e-9
	for _, e := range []Evaluation{{}, {GapClosed: &below}} {
		if got := e.GapText("%.1f"); strings.ContainsAny(got, "0123456789") {
			t.Errorf("no share is %s", got)
		}
	}
}

// A file is loaded as its text is parsed, with assignments and without, and so are
// errors.
func TestLoadIsParse(t *testing.T) {
	dir := t.TempDir()
	for i, text := range []string{good, "", "train: 1", good + "  lr: 1\n", with("process: {name: mess4}"), with("  lr: -1"), "{"} {
		for _, assignments := range [][]string{nil, {"train.lr=1e-3"}, {"train.lr=nothing"}, {"train.num_steps=7", "model.n_ctx=0"}} {
			path := filepath.Join(dir, fmt.Sprint(i, ".yaml"))
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, gotErr := Load(path, assignments...)
			want, wantErr := Parse(path, []byte(text), assignments...)
			if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) {
				t.Errorf("%q with %q: loaded (%v), parsed (%v)", text, assignments, gotErr, wantErr)
			}
		}
	}
	for _, path := range []string{filepath.Join(dir, "none.yaml"), dir} {
		if _, err := Load(path); err == nil {
			t.Errorf("%s is loaded", path)
		}
	}
	table := filepath.Join(dir, "table.csv")
	if err := os.WriteFile(table, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(table); err == nil {
		t.Error("a table of numbers is a configuration")
	}
}

// A process that Go code makes is resolved for a configuration that names it, which says
// nothing of it to others.
func TestParseOnAProcess(t *testing.T) {
	coin, err := process.NewCoin(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := json.Marshal(process.SpecOf(coin))
	if err != nil {
		t.Fatal(err)
	}
	c, err := ParseOn(coin, "c.yaml", []byte(with("process: "+string(spec))))
	if err != nil || c.Model.DVocab != coin.Alphabet() || !c.Process.ByCode() {
		t.Errorf("%+v (%v)", c.Process, err)
	}
	few := strings.Replace(with("process: "+string(spec)), "model:\n", "model:\n  d_vocab: 1\n", 1)
	if _, err := ParseOn(coin, "c.yaml", []byte(few)); err == nil {
		t.Error("a vocabulary of one token for two")
	}
	if _, err := Parse("c.yaml", []byte(with("process: "+string(spec)))); err == nil {
		t.Error("a process that Go code makes is parsed")
	}
}

// The model's section is resolved alone, its vocabulary that of the process if there is
// one and it is not given.
func TestParseModelAlone(t *testing.T) {
	c, p, err := ParseModel("c.yaml", []byte(good))
	if err != nil || p == nil || c.Model.DVocab != 3 || c.Model.DHead != 8 {
		t.Errorf("%+v, %v (%v)", c.Model, p, err)
	}
	_, section, _ := strings.Cut(good, "\n")
	if _, _, err := ParseModel("c.yaml", []byte(section)); err == nil {
		t.Error("a vocabulary that nothing says")
	}
	given := strings.Replace(section, "model:\n", "model:\n  d_vocab: 5\n", 1)
	c, p, err = ParseModel("c.yaml", []byte(given))
	if err != nil || p != nil || c.Model.DVocab != 5 {
		t.Errorf("%+v, %v (%v)", c.Model, p, err)
	}
	own := strings.Replace(good, "model:\n", "model:\n  d_vocab: 5\n", 1)
	if c, p, err = ParseModel("c.yaml", []byte(own)); err != nil || p == nil || c.Model.DVocab != 5 {
		t.Errorf("%+v, %v (%v)", c.Model, p, err)
	}
	for _, bad := range []string{with("process: {name: mess4}"), with("  d_model: 0"), "{", "nothing: 1", good + good} {
		if _, _, err := ParseModel("c.yaml", []byte(bad)); err == nil {
			t.Errorf("%q has a model", bad)
		}
	}
	byCode := with("process: {name: go:mine}")
	if _, p, err := ParseModel("c.yaml", []byte(strings.Replace(byCode, "model:\n", "model:\n  d_vocab: 5\n", 1))); err != nil || p != nil {
		t.Errorf("a process that Go code makes: %v (%v)", p, err)
	}
}

// As JSON a configuration is one line, and read back it is the same.
func TestJSONRoundTrip(t *testing.T) {
	for _, text := range []string{good, exactly(""), with("  betas: [0.8, 0.99]")} {
		want, err := Parse("c.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		line, err := want.JSON()
		if err != nil || strings.ContainsAny(strings.TrimSpace(string(line)), "\n") || !json.Valid(line) {
			t.Fatalf("%s (%v)", line, err)
		}
		if got, err := Parse("c.json", line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v (%v), want %+v", got, err, want)
		}
	}
	c, err := Parse("c.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	c.Train.LR = math.Inf(1)
	if _, err := c.JSON(); err == nil {
		t.Error("an infinite rate is written as JSON")
	}
	if _, err := c.YAML(); err == nil {
		t.Error("an infinite rate is written as YAML")
	}
}

// A step learns from sequences of the context's length, or from all words.
func TestBatchTextNamesItsNumbers(t *testing.T) {
	for text, numbers := range map[string][]string{good: {"24", "6"}, exactly(""): {"6"}, exactly("  loss_positions: [4]"): {"4"}} {
		c, err := Parse("c.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, number := range numbers {
			if !strings.Contains(" "+c.BatchText()+" ", " "+number+" ") {
				t.Errorf("%q does not say %s", c.BatchText(), number)
			}
		}
		if strings.Contains(c.BatchText(), "24") != (text == good) {
			t.Errorf("a step of all words: %q", c.BatchText())
		}
	}
}

// Losses, gradients and weights that are not finite are a divergence at the step, each by
// itself.
func TestDivergenceIsSeen(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for what, change := range map[string]func(*Trainer){
			"nothing":      func(*Trainer) {},
			"the loss":     func(trainer *Trainer) { trainer.loss = bad },
			"the gradient": func(trainer *Trainer) { trainer.gradNorm = bad },
			"a weight":     func(trainer *Trainer) { trainer.Model.Weights.Data[7] = float32(bad) },
		} {
			trainer := newTrainer(t, smallConfig(), 1)
			step(t, trainer)
			change(trainer)
			err := trainer.CheckWeights()
			var diverged *DivergedError
			if found := errors.As(err, &diverged); found != (what != "nothing") || err != nil && !found {
				t.Errorf("%s is %v: %v", what, bad, err)
			} else if found && diverged.Step != 1 {
				t.Errorf("%s is %v after step %d", what, bad, diverged.Step)
			}
		}
	}
}
