package strict

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// What a value is kept as gives the same value when it is assigned.
func TestValuesAreAssignedAsTheyWere(t *testing.T) {
	texts := rapid.OneOf(
		rapid.SampledFrom([]string{
			"1e-3", "0x10", "true", "no", "~", "null", "[1, [2, x], []]", "{a: [1], \"b c\": {}}", "'it''s'",
			`"a\tb\u00e9"`, "x:y", "./mine.yaml", "1_000", "-0", "inf", `"1"`, "a b", "é", `"#x"`, "a\u0085b",
		}),
		rapid.Map(rapid.String(), func(s string) string { return fmt.Sprintf("%q", s) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := texts.Draw(t, "text")
		first, err := Parse("c.yaml", nil)
		if err != nil {
			t.Fatal(err)
		}
		if first.Set("key="+text) != nil {
			return // not YAML
		}
		var value struct{ Key Value }
		if err := first.Decode(&value); err != nil {
			t.Fatal(err)
		}
		second := &Document{&node{kind: mapping}}
		if err := second.Set("key=" + value.Key.Text); err != nil {
			t.Fatalf("%s is kept as %s: %v", text, value.Key.Text, err)
		}
		var a, b struct{ Key any }
		if err := first.Decode(&a); err != nil {
			t.Fatal(err)
		}
		if err := second.Decode(&b); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprintf("%#v", a) != fmt.Sprintf("%#v", b) {
			t.Fatalf("%s is %#v, and kept as %s it is %#v", text, a.Key, value.Key.Text, b.Key)
		}
		list, err := Values("key", value.Key.Text)
		if err != nil || len(list) != 1 || list[0] != value.Key {
			t.Fatalf("%s as a list is %v, %v", value.Key.Text, list, err)
		}
	})
}

func TestListsOfValues(t *testing.T) {
	for list, want := range map[string]string{
		"1e-3,3e-3": "[{0.001 2} {0.003 2}]", "[1, 2],[3]": "[{[1, 2] 4} {[3] 4}]", "": "[]", "gelu": "[{gelu 3}]",
		"@a.csv": `[{"@a.csv" 3}]`,
	} {
		got, err := Values("train.lr="+list, list)
		if fmt.Sprint(got) != want || err != nil {
			t.Errorf("%s: got %v, %v; want %s", list, got, err, want)
		}
	}
	for _, list := range []string{"[1", "1,,2", ",1", "1]", "1], [2"} {
		if got, err := Values("train.lr="+list, list); err == nil {
			t.Errorf("%s is accepted as %v", list, got)
		}
	}
}

func TestTake(t *testing.T) {
	d, err := Parse("c.yaml", []byte("a: 1\nsweep: {seeds: x}\nb: 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	copied := d.Clone()
	var section struct{ Seeds int }
	err = d.Take("sweep").Decode(&section)
	if want := `c.yaml:2:9: seeds: "x" is not a whole number`; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := fmt.Sprint(d.Settings()); got != "[{a 1} {b 2}]" || d.Take("sweep") != nil {
		t.Errorf("the rest is %s", got)
	}
	if got := fmt.Sprint(copied.Settings()); got != "[{a 1} {sweep.seeds x} {b 2}]" {
		t.Errorf("the copy is %s", got)
	}
}
