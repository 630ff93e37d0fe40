package process

import (
	"errors"
	"regexp"
	"testing"
)

// goSyntax is how Go prints values that are not the user's.
var goSyntax = regexp.MustCompile(`<nil>|map\[|interface ?\{|0xc[0-9a-f]{6}|&\{|%!|\[\]\w|= is | =  `)

// No error about a parameter shows a value as Go prints it, whatever the type of the
// parameter and the form of the value, in a configuration or on a command line.
func TestMessagesShowNoGoValues(t *testing.T) {
	values := []string{
		"null", "~", "", "true", "3", "-1.5", "1e400", ".nan", "text", `"0x10"`, "0x10", "[]", "{}", "[null]", "[1, null]",
		"[[1, null]]", "[[], []]", "[[null]]", "{a: 1}", "{a: null}", "{name: null}", "{name: mess3, params: null}",
		"{name: mess3, params: {x: null}}", "[{}]", "[{name: null}]", "[mess3, null]", "[mess3, 1]", "[true]", "[[true]]",
		"!!binary aGk=", "2026-01-01", "&a [*a]", "{? [1] : 2}", "{1: 2}", "[text]",
	}
	looks := func(source string, err error) {
		t.Helper()
		if err != nil && goSyntax.MatchString(err.Error()) {
			t.Errorf("%s: %v", source, err)
		}
	}
	for _, entry := range catalogue() {
		for _, p := range entry.Params {
			for _, text := range values {
				value, err := p.Parse("--param "+p.Name, text)
				if err == nil {
					_, err = Build(entry.Name, Params{p.Name: value})
				}
				looks(entry.Name+" --param "+p.Name+"="+text, err)
				_, err = Parse("mine.yaml", []byte("name: "+entry.Name+"\nparams:\n  "+p.Name+": "+text+"\n"))
				looks(entry.Name+", "+p.Name+": "+text, err)
			}
		}
	}
	for _, value := range []any{
		nil, map[string]any{"a": nil}, []any{1, nil}, new(int), make(chan int), struct{ X int }{1}, errors.New("x"), int64(3),
	} {
		for _, name := range []string{"mess3", "noisy", "interleaved", "periodic"} {
			entry, _, err := Resolve(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Build(name, Params{entry.Params[0].Name: value})
			looks(name, err)
		}
	}
}

// A parameter without a value is null, as the user writes it.
func TestNullIsNull(t *testing.T) {
	_, err := Build("mess3", Params{"x": nil})
	if want := "mess3: x = null is not a number"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
