package flags

import (
	"errors"
	"io"
	"strconv"
	"testing"

	"github.com/spf13/pflag"
)

func TestDecimal(t *testing.T) {
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	n, seed, x := set.Int("n", 1, ""), set.Uint64("seed", 1, ""), set.Float64("x", 1, "")
	set.String("name", "", "")
	Decimal(set)
	for _, c := range []struct {
		arg  string
		read func() any
		want any // nil for an error
	}{
		{"--n=010", nil, nil},
		{"--n=1e3", func() any { return *n }, 1000},
		{"--n=0.5", nil, nil},
		{"--x=inf", nil, nil},
		{"--x=NaN", nil, nil},
		{"--x=1e400", nil, nil},
		{"--x=00.5", nil, nil},
		{"--x=+.5", func() any { return *x }, 0.5},
		{"--n=-3", func() any { return *n }, -3},
		{"--n=0x10", nil, nil},
		{"--n=0b1", nil, nil},
		{"--n=1_000", nil, nil},
		{"--n=", nil, nil},
		{"--n=99999999999999999999", nil, nil},
		{"--n=١٢", nil, nil},
		{"--seed=0777", nil, nil},
		{"--seed=18446744073709551615", func() any { return *seed }, uint64(18446744073709551615)},
		{"--seed=0x7", nil, nil},
		{"--seed=-1", nil, nil},
		{"--x=1e-3", func() any { return *x }, 1e-3},
		{"--x=0x1p-2", nil, nil},
		{"--x=1_0", nil, nil},
		{"--name=0x10", func() any { name, _ := set.GetString("name"); return name }, "0x10"},
	} {
		err := set.Parse([]string{c.arg})
		if c.want == nil {
			var number *strconv.NumError
			if !errors.As(err, &number) {
				t.Errorf("%s: %v", c.arg, err)
			}
			continue
		}
		if got := c.read(); err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.arg, got, err, c.want)
		}
	}
	if got, err := set.GetInt("n"); err != nil || got != *n {
		t.Errorf("%v, %v", got, err)
	}
}
