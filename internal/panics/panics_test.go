package panics

import (
	"errors"
	"testing"
)

func TestText(t *testing.T) {
	for want, f := range map[string]func(){
		"":           func() {},
		"text":       func() { panic("text") },
		"an error 7": func() { panic(errors.New("an error 7")) },
	} {
		if got := Text(f); got != want || Does(f) != (want != "") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
