package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"foretell/lab"
)

// asked are questions of pages, at least one of each kind, with their fields. A run named
// first is in the folder.
var asked = []struct{ name, fields string }{
	{"processes", `{}`},
	{"process", `{"process":"mess3","params":{"x":"0.05","a":"0.85"}}`},
	{"process", `{"process":"coin"}`},
	{"process", `{"yaml":"name: lazy\nstates: [A, B]\ntokens: [h, t]\ntransitions:\n  - {from: A, to: A, token: h, p: 0.9}\n  - {from: A, to: B, token: t, p: 0.1}\n  - {from: B, to: A, token: h, p: 0.5}\n  - {from: B, to: B, token: t, p: 0.5}\n"}`},
	{"process", `{"run":"first"}`},
	{"check", `{"process":"even"}`},
	{"floor", `{"process":"mess3"}`},
	{"floor", `{"process":"switching_delay","positions":5}`},
	{"beliefs", `{"process":"mess3","tokens":"0,1,1,2,0"}`},
	{"sample", `{"process":"mess3","number":3,"length":12,"seed":7}`},
	{"crafts", `{}`},
	{"predict", `{"model":"first","tokens":"2,1,0"}`},
	{"predict", `{"model":"craft:coin","params":{"a":"2","n_ctx":"16"},"tokens":"BOS,heads,tails"}`},
	{"look", `{"model":"first","tokens":"2,1,0"}`},
	{"look", `{"model":"craft:coin","params":{"a":"2","n_ctx":"16"},"tokens":"BOS,heads,tails"}`},
	{"portrait", `{"model":"first","length":4}`},
	{"portrait", `{"model":"first","length":3,"components":true}`},
	{"portrait", `{"model":"first","length":3,"target":"constrained"}`},
	{"patch", `{"model":"first","clean":"0,0,0,2","corrupt":"1,1,1,2","hook":"resid_pre"}`},
	{"ablate", `{"model":"first"}`},
	{"ablate", `{"model":"first","heads":["0.0"],"with":"zero","tokens":["0,1,2"]}`},
	{"steer", `{"model":"first","tokens":"0,1","belief":"0.2,0.3,0.5"}`},
	{"steer", `{"model":"first","tokens":"2,0"}`},
	{"steer", `{"model":"first","tokens":"0,1,2","belief":"1,0,0","stage":"blocks.0.hook_resid_mid","length":4}`},
	{"walk", `{"model":"first","tokens":"0,1"}`},
	{"walk", `{"model":"first","tokens":"0,1","layer":0,"set":["unembed.W_U[0,1]=0.5"]}`},
	{"runs", `{}`},
	{"run", `{"run":"first"}`},
	{"curves", `{"runs":["first"]}`},
	{"papers", `{}`},
	{"papers", `{"document":"mess3","profile":"full"}`},
	{"ledger", `{}`},
	{"version", `{}`},
	{"ledger", `{"document":"coin"}`},
	{"ledger", `{"document":"coin","profile":"full"}`},
	{"lessons", `{}`},
	{"lessons", `{"lesson":3}`},
}

// What a page shows is the value that the command next to it prints.
func TestPagesShowWhatCommandsPrint(t *testing.T) {
	t.Chdir(t.TempDir())
	config := "process: {name: mess3}\nmodel: {d_model: 8, n_layers: 1, n_heads: 1, n_ctx: 5}\n" +
		"train: {seed: 1, batch_size: 16, num_steps: 20, lr: 1e-2}\n"
	if err := os.WriteFile("config.yaml", []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	mustCall(t, "train", "config.yaml", "--out", "runs/first")
	mustCall(t, "reproduce", "coin", "--only", "C2")
	folders := lab.Folders{Runs: "runs", Reports: "reports"}
	e, err := lab.New(folders, "")
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	left := lab.Names()
	for _, one := range asked {
		left = slices.DeleteFunc(left, func(name string) bool { return name == one.name })
		q, a, err := e.Ask(t.Context(), one.name, []byte(one.fields))
		if err != nil {
			t.Errorf("%s %s: %v", one.name, one.fields, err)
			continue
		}
		var fields lab.Source
		if json.Unmarshal([]byte(one.fields), &fields) == nil && fields.YAML != "" {
			if err := os.WriteFile(lab.Definition, []byte(fields.YAML), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		page, err := json.Marshal(a.Value)
		if err != nil {
			t.Errorf("%s: %v", one.name, err)
			continue
		}
		command := q.Command(folders)
		if got := printed(t, command); normal(t, string(page)) != normal(t, got) {
			t.Errorf("%s %s: the page has\n%.600s\nand `foretell %s` prints\n%.600s", one.name, one.fields, page,
				strings.Join(command, " "), got)
		}
	}
	if len(left) > 0 {
		t.Errorf("no question of these kinds was asked: %v", left)
	}
}

// printed returns the JSON that a command prints, or writes into its file.
func printed(t *testing.T, command []string) string {
	t.Helper()
	if slices.Contains(command, "--out") {
		file := command[len(command)-1]
		mustCall(t, command...)
		data, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	return mustCall(t, append(command, "--json")...)
}

// normal returns JSON on one line with keys in their order.
func normal(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Errorf("%.200s: %v", text, err)
		return text
	}
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
