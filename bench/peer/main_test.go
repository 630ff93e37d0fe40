package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"foretell/bench"
)

func TestCheck(t *testing.T) {
	good := comparison{rounds: 1, workers: 2, seconds: 1}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(c *comparison){
		"-rounds 0; give at least 1":                              func(c *comparison) { c.rounds = 0 },
		"-workers 1; give at least 2, to compare with one worker": func(c *comparison) { c.workers = 1 },
		"-seconds 0; give more than 0":                            func(c *comparison) { c.seconds = 0 },
	} {
		c := good
		change(&c)
		if err := c.check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A peer that cannot be built says in one line what is missing.
func TestPeerThatIsMissing(t *testing.T) {
	empty, checkout := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(checkout, "train_gpt2.c"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", empty)
	for _, c := range []struct {
		name, want string
		from       sources
	}{
		{"tensorflow", "unknown peer: want one of gomlx, llmc, torch", sources{}},
		{"torch", "-python names no command", sources{python: " "}},
		{"torch", "-isa sse: peers can only be limited to avx2", sources{python: "python3", isa: "sse"}},
		{"gomlx", "-gomlx " + empty + ": ", sources{gomlx: empty}},
		{"llmc", "give the folder of a checkout of github.com/karpathy/llm.c with -llmc", sources{}},
		{"llmc", "-llmc: ", sources{llmc: empty}},
		{"llmc", `exec: "gcc": executable file not found in `, sources{llmc: checkout}},
	} {
		_, err := c.from.engine(c.name, t.TempDir())
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// The sizes that peers are given have as many parameters as foretell's model.
func TestSizes(t *testing.T) {
	for _, m := range bench.Models {
		s, err := sizesOf(m)
		if err != nil {
			t.Fatal(err)
		}
		n := (2*s.DVocab + s.NCtx) * s.DModel
		norm := 0
		if s.Norm {
			norm = 2 * s.DModel
		}
		for _, heads := range s.NHeads {
			n += norm + 4*heads*s.DHead*s.DModel + 3*heads*s.DHead + s.DModel
			if s.DMLP > 0 {
				n += norm + 2*s.DMLP*s.DModel + s.DMLP + s.DModel
			}
		}
		if n += norm; n != s.parameters {
			t.Errorf("%s: %+v have %d parameters, want %d", m.Name, s, n, s.parameters)
		}
	}
}

// A GPT-2 expresses the models with layer norm and MLP only.
func TestModelsOfGPT2(t *testing.T) {
	var can []string
	for _, m := range bench.Models {
		if s, err := sizesOf(m); err != nil {
			t.Fatal(err)
		} else if (engine{tied: true}).misses(s) == "" {
			can = append(can, m.Name)
		}
	}
	if want := []string{"mess3", "minigpt"}; !reflect.DeepEqual(can, want) {
		t.Errorf("%q, want %q", can, want)
	}
}

// A result counts only if the peer has trained the same model.
func TestRead(t *testing.T) {
	const good = `{"parameters": 7, "first_loss": 3.47, "last_loss": 3.4, "tokens_per_second": 12, "torch": "2"}`
	if speed, err := read([]byte(good), 7, 32); err != nil || speed != 12 {
		t.Errorf("%v, %v", speed, err)
	}
	for _, c := range [][3]string{
		{`"parameters": 7`, `"parameters": 8`, "it has 8 parameters, want 7"},
		{`3.47`, `3.9`, "its first loss is 3.9, want ln 32 = 3.466"},
		{`3.4,`, `3.48,`, "its loss went from 3.47 to 3.48, want a fall"},
		{`"last_loss": 3.4`, `"last_loss": NaN`, "it printed "},
		{good, ``, `it printed ""`},
	} {
		_, err := read([]byte(strings.Replace(good, c[0], c[1], 1)), 7, 32)
		if err == nil || !strings.HasPrefix(err.Error(), c[2]) {
			t.Errorf("got %v, want %s", err, c[2])
		}
	}
}

func TestLastLine(t *testing.T) {
	for out, want := range map[string]string{"": "", "a": "a", "a\nb\n": "b", "a\r\nb\r\n": "b"} {
		if got := string(lastLine([]byte(out))); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

func TestSpreadPassesOverFailedRounds(t *testing.T) {
	if low, high := spread([]float64{6, 8, 9}, []float64{2, 0, 4}); low != 2.25 || high != 3 {
		t.Errorf("%v to %v, want 2.25 to 3", low, high)
	}
}

// A peer that does not run is an error, not an infinite ratio, and has no row.
func TestNoPeerNoRatio(t *testing.T) {
	m, _ := bench.Named("mess3")
	m.Config.Train.BatchSize = 1
	broken := engine{name: "torch", modes: []string{"eager"}, command: func(sizes, string, int, float64) []string {
		return []string{"false"}
	}}
	c := comparison{engines: []engine{broken}, rounds: 1, workers: 2, seconds: 1e-9}
	var out strings.Builder
	err := c.table(&out, []bench.Model{m})
	if err == nil || err.Error() != "mess3: torch failed in all modes, so there is nothing to compare with" {
		t.Errorf("got %v", err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 1 {
		t.Errorf("%d lines, want the heading only: %s", lines, out.String())
	}
}
