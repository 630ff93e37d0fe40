package exactjson

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type inner struct {
	Width int `json:"width"`
}

type example struct {
	inner
	Heads  int              `json:"n_head"`
	Inner  *int             `json:"n_inner"`
	Layers []inner          `json:"layers"`
	Sizes  map[string]int   `json:"sizes"`
	Any    any              `json:"any"`
	Raw    json.RawMessage  `json:"raw"`
	Eps    float64          `json:"eps"`
	Tied   bool             `json:"tied"`
	Name   string           `json:"name"`
	Hidden string           `json:"-"`
	Lists  map[string][]int `json:"lists"`
}

func TestUnmarshal(t *testing.T) {
	for text, want := range map[string]string{
		`{"n_head": 2, "n_inner": null, "any": null, "layers": null, "other": {"N_HEAD": null}}`: "<nil>",
		`{"width": 3, "layers": [{"width": 2}], "raw": {"Width": null}}`:                         "<nil>",
		`{"N_HEAD": 2}`:                      `unknown key "N_HEAD"; did you mean "n_head"?`,
		`{"n_head": 2, "N_head": 3}`:         `unknown key "N_head"; did you mean "n_head"?`,
		`{"Width": 2}`:                       `unknown key "Width"; did you mean "width"?`,
		`{"n_head": 2, "n_head": 2}`:         "n_head is given twice",
		`{"other": 2, "other": 2}`:           "other is given twice",
		`{"any": {"a": [{"b": 1, "b": 2}]}}`: "any.a[0].b is given twice",
		`{"n_head": null}`:                   "n_head is null; a number is expected",
		`{"eps": null}`:                      "eps is null; a number is expected",
		`{"tied": null}`:                     "tied is null; true or false is expected",
		`{"name": null}`:                     "name is null; a text is expected",
		`{"layers": [{"width": 1}, null]}`:   "layers[1] is null; an object is expected",
		`{"layers": [{"width": null}]}`:      "layers[0].width is null; a number is expected",
		`{"layers": [{"WIDTH": 1}]}`:         `unknown key "layers[0].WIDTH"; did you mean "width"?`,
		`{"sizes": {"a": 1, "A": null}}`:     "sizes.A is null; a number is expected",
		`{"lists": {"a": [1, null]}}`:        "lists.a[1] is null; a number is expected",
		`null`:                               "the value is null; an object is expected",
		`{"n_head": 1} 2`:                    "invalid character '2' after top-level value",
	} {
		var v example
		if err := Unmarshal([]byte(text), &v); fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A value is read as it was written; with a key written in another case, a key doubled or
// a number left out, it is refused.
func TestOneSlipIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := example{
			inner:  inner{rapid.Int().Draw(t, "width")},
			Heads:  rapid.Int().Draw(t, "heads"),
			Eps:    rapid.Float64().Draw(t, "eps"),
			Layers: []inner{{rapid.Int().Draw(t, "layer")}},
			Sizes:  map[string]int{"a": rapid.Int().Draw(t, "a")},
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var back example
		if err := Unmarshal(data, &back); err != nil || back.Heads != v.Heads || !reflect.DeepEqual(back.Layers, v.Layers) {
			t.Fatalf("%s: %v, %v", data, back, err)
		}
		key := rapid.SampledFrom([]string{"n_head", "eps", "width", "layers", "tied", "name"}).Draw(t, "key")
		field := fmt.Sprintf("%q:", key)
		slip := rapid.SampledFrom([]string{
			strings.ToUpper(field),
			field + "1," + field,
			strings.ToUpper(field) + "null," + field,
		}).Draw(t, "slip")
		if err := Unmarshal([]byte(strings.Replace(string(data), field, slip, 1)), &back); err == nil {
			t.Fatalf("%s: %s is read", data, slip)
		}
	})
}
