package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"foretell/bench"
	"foretell/claim"
	"foretell/cluster"
	"foretell/describe"
	"foretell/inspect"
	"foretell/intervene"
	"foretell/paper"
	"foretell/probe"
	"foretell/report"
	"foretell/runtable"
	"foretell/series"
	"foretell/sweep"
	"foretell/train"
)

// written says in which shapes fields were written, by name and command: number, text,
// true or false, object, or how deep a list is.
type written map[[2]string]map[string]bool

// byName are objects whose keys are names, and no fields.
var byName = []string{"params", "watch", "matrices", "results", "settings"}

// add adds what a command has written.
func (w written) add(command string, value any) {
	switch value := value.(type) {
	case []any:
		for _, x := range value {
			w.add(command, x)
		}
	case map[string]any:
		for field, x := range value {
			at := [2]string{field, command}
			if w[at] == nil {
				w[at] = map[string]bool{}
			}
			w[at][shapeOf(x)] = true
			if hasNull(x) {
				w[at][null] = true
			}
			if _, object := x.(map[string]any); !object || !slices.Contains(byName, field) {
				w.add(command, x)
			}
		}
	}
}

// null is the shape of a field that is null, or a list that holds one.
const null = "null"

// hasNull says whether a value is null, or a list that holds one.
func hasNull(value any) bool {
	list, ok := value.([]any)
	return value == nil || ok && slices.ContainsFunc(list, hasNull)
}

// shapeOf is the shape of a value; "" where it does not tell: of null and of no entries.
func shapeOf(value any) string {
	switch value := value.(type) {
	case string:
		return "text"
	case bool:
		return "true or false"
	case float64:
		return "number"
	case map[string]any:
		return "object"
	case []any:
		for _, x := range value {
			if list, ok := x.([]any); ok && shapeOf(list) != "" {
				return "[" + shapeOf(list) + "]"
			} else if !ok {
				return "[]"
			}
		}
	}
	return ""
}

// row is a row of the glossary: its field, meaning, shape and commands stand in groups.
var (
	row    = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| [^|]* \\| ([^|]+) \\| ([^|]+) \\|$")
	quoted = regexp.MustCompile("`([^`]+)`")
)

// glossary reads docs/json.md: shapes by field and command, and which are rare.
func glossary(t *testing.T) (shapes written, rare map[[2]string]bool) {
	text, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	shapes, rare = written{}, map[[2]string]bool{}
	for _, r := range row.FindAllStringSubmatch(string(text), -1) {
		shape, isRare := strings.CutSuffix(r[3], ", rarely")
		shape = strings.Trim(shape, "`")
		switch {
		case strings.HasPrefix(shape, "["):
			n := strings.Count(shape, ",")
			shape = strings.Repeat("[", n) + "[]" + strings.Repeat("]", n)
		case strings.HasPrefix(shape, "{"):
			shape = "object"
		}
		for _, command := range quoted.FindAllStringSubmatch(r[4], -1) {
			at := [2]string{r[1], command[1]}
			if shapes[at] == nil {
				shapes[at] = map[string]bool{}
			}
			shapes[at][shape], rare[at] = true, isRare
			if strings.Contains(r[2], "null") {
				shapes[at][null] = true
			}
		}
	}
	return shapes, rare
}

// wholeOf is a value of a type with every field filled in.
func wholeOf(kind reflect.Type) reflect.Value {
	v := reflect.New(kind).Elem()
	switch kind.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(kind.Elem()))
		v.Elem().Set(wholeOf(kind.Elem()))
	case reflect.Slice:
		v.Set(reflect.Append(v, wholeOf(kind.Elem())))
	case reflect.Map:
		v.Set(reflect.MakeMap(kind))
	case reflect.Struct:
		for i := range kind.NumField() {
			if f := kind.Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				v.Field(i).Set(wholeOf(f.Type))
			}
		}
	case reflect.String:
		v.SetString("1")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	}
	return v
}

// testdata returns a file of package series.
func testdata(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../series/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The glossary has every field that a command writes, with its shape, and no other.
func TestGlossary(t *testing.T) {
	listed, rare := glossary(t)
	nottem, geyser := testdata(t, "nottem.csv"), testdata(t, "geyser.txt")
	mine := "time,q10,q90\n"
	for month := range 12 {
		mine += fmt.Sprintf("1939-%02d,%d,%d\n", month+1, 35+month, 50+month)
	}
	signal := strings.Replace(config, "{name: mess3, params: {x: 0.15, a: 0.6}}", "{name: brackets}", 1)
	inFolder(t)
	write(t, "signal.yaml", strings.Replace(signal, "n_ctx: 4", "n_ctx: 16", 1))
	write(t, "study.yaml", config+"sweep: {seeds: 2, parameters: {train.lr: [0.01, 0.02], model.d_model: [4, 8]}}\n")
	write(t, "nottem.csv", nottem)
	write(t, "geyser.txt", geyser)
	write(t, "mine.csv", mine)
	found := written{}
	read := func(command, text string) {
		var value any
		decode(t, text, &value)
		found.add(command, value)
	}
	for _, c := range []struct{ command, args string }{
		{"--version", ""},
		{"man", ""},
		{"train", "c.yaml --out run"},
		{"train", "signal.yaml --out signal"},
		{"train", "c.yaml --out stops --set train.stop.patience=1 --set train.num_steps=4"},
		{"train --dry-run", "c.yaml"},
		{"demo", ""},
		{"process list", ""},
		{"process sample", "mess3"},
		{"process beliefs", "mess3 --tokens 0,1"},
		{"process floor", "coin"},
		{"process check", "even"},
		{"process check", "z1r"},
		{"process show", "mess3"},
		{"process show", "z1r"},
		{"process show", "coin"},
		{"process show", "brackets"},
		{"process show", "moon"},
		{"process show", "rrxor"},
		{"predict", "run --tokens 0,1"},
		{"predict", "signal --tokens 0,0"},
		{"predict", "craft:coin --param n_ctx=4 --tokens 2,1"},
		{"look", "run --tokens 0,1"},
		{"look", "craft:coin --param n_ctx=4 --tokens 2,1"},
		{"steer", "run --tokens 0,1 --belief 0.2,0.3,0.5"},
		{"generate", "run --tokens 0 -n 2"},
		{"generate", "signal --tokens 0 -n 4"},
		{"craft show", "craft:induction --param n_ctx=8"},
		{"walk", "run --tokens 0,1"},
		{"walk", "craft:coin --param n_ctx=4 --param error=0.1 --tokens 2,1"},
		{"probe", "run --length 3"},
		{"probe", "run --steer --concat"},
		{"probe", "run --convention each"},
		{"plot", "run"},
		{"plot", "run signal"},
		{"plot", "stops"},
		{"patch", "run --clean 0,1,1 --corrupt 0,2,1"},
		{"patch", "run --pairs 40 --hook v --attribution"},
		{"ablate", "run"},
		{"ablate", "signal --head 0.0"},
		{"evaluate", "run --process mess3 --param a=0.7"},
		{"cache", "run --words 16 --out acts.npz"},
		{"export", "run --format npz --out run.npz"},
		{"export", "run --format transformerlens --out lens"},
		{"import", "lens --out imported"},
		{"evaluate", "craft:routing --param n_ctx=16 --sequences 4"},
		{"evaluate", "run --process recording --param signal=[1,2,3,1,2,3,2,2,1,3,2,1,1,2,3,1,1,2,3,1,2,3,2,2,1,3,2,1,1,2,3,1] --param levels=3"},
		{"sweep --dry-run", "study.yaml"},
		{"sweep --print", "study.yaml --engine slurm"},
		{"sweep", "study.yaml --out study"},
		{"sweep status", "study"},
		{"plot --by", "lr --color d_model --over train.seed study/runs"},
		{"runs list", "run"},
		{"runs check", "run"},
		{"runs show", "stops"},
		{"runs compare", "run signal"},
		{"runs remove", "stops --dry-run"},
		{"reproduce", "coin --only C2 --out report"},
		{"reproduce --show", "report"},
		{"reproduce --list", ""},
		{"lessons", ""},
		{"series", "nottem.csv --mine mine.csv"},
		{"series", "geyser.txt --symbols --states 2"},
		{"bench train", "--seconds 0.001"},
		{"bench sample", "mess3 --seconds 0.001"},
		{"bench kernel", "--seconds 0.0001"},
		{"bench prefixes", "--seconds 0.001"},
	} {
		read(c.command, mustCall(t, append(strings.Fields(c.command+" "+c.args), "--json")...))
	}
	mustCall(t, "probe", "run", "--out", "page.json")
	for command, path := range map[string]string{
		"probe --out": "page.json", "claims.json": "report/claims.json", "metrics.jsonl": "signal/metrics.jsonl",
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range strings.SplitAfter(string(text), map[bool]string{true: "\n", false: "\x00"}[command == "metrics.jsonl"]) {
			if value != "" {
				read(command, value)
			}
		}
	}
	write(t, "run/config.yaml", "damaged")
	_, broken, _ := call(t, "runs", "check", "run", "--json")
	read("runs check", broken)
	for command, value := range map[string]any{ // what is not written every time
		"bench curve": bench.CurveResults{}, "bench solve": bench.SolveResults{}, "train --dry-run": train.Plan{}, "process show": describe.Description{}, "probe": probe.Report{}, "probe --out": inspect.Portrait{},
		"series": series.Report{}, "patch": intervene.Map{}, "ablate": intervene.Damage{}, "reproduce": []claim.Claim{}, "claims.json": []claim.Claim{}, "reproduce --show": []report.Listed{}, "reproduce --list": []paper.Document{},
		"runs compare": runtable.Comparison{}, "runs remove": []runtable.Removed{}, "sweep": sweep.Results{}, "sweep status": status{}, "sweep --dry-run": sweep.Estimate{},
		"sweep --engine": cluster.Submitted{}, "sweep cancel": cancelled{},
		"reproduce --engine": struct { // beside the fields of reproduce
			Waiting []claim.Waiting    `json:"waiting"`
			Tasks   *cluster.Submitted `json:"tasks"`
		}{},
	} {
		text, err := json.Marshal(wholeOf(reflect.TypeOf(value)).Interface())
		if err != nil {
			t.Fatal(err)
		}
		read(command, string(text))
	}
	compareGlossary(t, found, listed, rare)
}

func compareGlossary(t *testing.T, found, listed written, rare map[[2]string]bool) {
	t.Helper()
	for at, shapes := range found {
		for shape := range shapes {
			if listed[at] == nil || shape != "" && !listed[at][shape] && !listed[at]["any"] {
				t.Errorf("%s writes %q, %s; docs/json.md has %v", at[1], at[0], shape, slices.Sorted(maps.Keys(listed[at])))
			}
		}
	}
	for at, shapes := range listed {
		for shape := range shapes {
			if !rare[at] && !found[at][shape] && !found[at][""] && shape != "any" && shape != null {
				t.Errorf("docs/json.md has %q, %s, of %s, which does not write it", at[0], shape, at[1])
			}
		}
	}
	if len(listed) < 300 {
		t.Errorf("only %d fields of commands are listed", len(listed))
	}
}
