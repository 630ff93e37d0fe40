package process

import (
	"slices"
	"strings"
	"testing"
)

// What the processes of the zoo can do, so that a method that changes its signature is
// missed here and not in a table that lacks a row.
var (
	_ = []Ceiler{(*HMM)(nil), (*Recording)(nil), (*Symbolic)(nil)}
	_ = []Retriever{(*Symbolic)(nil)}
	_ = []Limiter{(*HMM)(nil), (*Coin)(nil), (*Interleaved)(nil), (*Recording)(nil), (*Symbolic)(nil)}
	_ = []Chain{(*HMM)(nil), (*Interleaved)(nil)}
	_ = []Observer{(*HMM)(nil)}
	_ = []Constrainer{(*HMM)(nil)}
	_ = []Filterer{(*HMM)(nil)}
	_ = []Machine{(*HMM)(nil)}
	_ = []Presenter{(*HMM)(nil), (*Coin)(nil), (*Interleaved)(nil), (*Recording)(nil), (*Symbolic)(nil)}
	_ = []Spectral{(*HMM)(nil)}
	_ = []Reacher{(*Interleaved)(nil)}
	_ = []Checker{(*HMM)(nil)}
)

// Tokens have names, one each, and the caller may change the list.
func TestTokensHaveNames(t *testing.T) {
	for _, entry := range Catalogue() {
		p, err := Build(entry.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		names := p.Tokens()
		different := slices.Compact(slices.Sorted(slices.Values(names)))
		if len(names) != p.Alphabet() || len(different) != len(names) || slices.Contains(names, "") {
			t.Errorf("%s: %d tokens, names %q", entry.Name, p.Alphabet(), names)
		}
		names[0] = "changed"
		if p.Tokens()[0] == "changed" {
			t.Errorf("%s: the names are not a copy", entry.Name)
		}
	}
}

// What has no hidden states says so, and states its excess entropy or why it has none.
func TestProcessesWithoutStatesSayWhatTheyLack(t *testing.T) {
	one := Params{"lags": []float64{2}}
	for _, c := range []struct {
		name   string
		params Params
		excess string
	}{
		{"coin", nil, "not defined: the floors fall too slowly"},
		{"interleaved", nil, "not defined: the process is not stationary"},
		{"interleaved", one, ""},
		{"mackey_glass", nil, ""},
		{"switching_delay", nil, "not defined: a sequence begins at the program's start"},
		{"brackets", nil, "not defined: a sequence begins"},
		{"routing", nil, "not defined: a sequence begins"},
	} {
		p, err := Build(c.name, c.params)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.(Presenter).Presentation(); err == nil || !strings.HasPrefix(err.Error(), c.name+": no hidden states; the observer ") {
			t.Errorf("%s: presentation: %v", c.name, err)
		}
		limits := p.(Limiter).Limits()
		rate, halfWidth := p.EntropyRate()
		if limits.EntropyRate != rate || limits.EntropyRateError != halfWidth {
			t.Errorf("%s: rates %g ± %g and %g ± %g", c.name, limits.EntropyRate, limits.EntropyRateError, rate, halfWidth)
		}
		why := limits.NoExcessEntropy
		if !strings.HasPrefix(why, c.excess) || (why == "") != (c.excess == "") || (why == "") != (limits.ExcessEntropyError > 0) {
			t.Errorf("%s: %+v", c.name, limits)
		}
	}
}
