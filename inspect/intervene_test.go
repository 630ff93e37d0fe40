package inspect

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"foretell/document"
	"foretell/document/documenttest"
	"foretell/intervene"
	"foretell/process"
)

// What patching and ablation found is written by a file's ending: every number in CSV, a
// figure, a page, JSON.
func TestInterventionsAreWritten(t *testing.T) {
	m, err := Open("craft:coin", process.Params{"n_ctx": 6.0})
	if err != nil {
		t.Fatal(err)
	}
	patched, err := m.Patch(t.Context(), PatchRequest{
		Clean: "BOS,heads,heads,tails", Corrupt: "2,1,0,0", Hook: "attn_out", Attribution: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	ablated, err := m.Ablate(t.Context(), AblateRequest{Heads: []string{"0.0"}, MLPs: []int{0}, With: intervene.Zero})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		forms document.Forms
		rows  int
		text  string
	}{{patched.Forms("foretell"), 1 + 4 + 1, "heads,tails"}, {ablated.Forms("foretell"), 1 + 3*(1+6), "head 0.0,zero,5"}} {
		for ending, begins := range map[string]string{".svg": "<svg", ".html": "<!doctype html>", ".json": "{"} {
			if data, err := documenttest.Written(test.forms, ending); err != nil || !strings.HasPrefix(strings.ToLower(string(data)), begins) {
				t.Errorf("%s: %.40s, %v", ending, data, err)
			}
		}
		data, err := documenttest.Written(test.forms, ".csv")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil || len(rows) != test.rows || !strings.Contains(string(data), test.text) {
			t.Errorf("%d rows, want %d, with %s: %v\n%s", len(rows), test.rows, test.text, err, data)
		}
		if _, err := documenttest.Written(test.forms, ".png"); err == nil {
			t.Error("a map is written as .png")
		}
	}
}

// A page has the map and its estimate one below the other, each with a caption; the
// figure has them side by side.
func TestPageOfAPatchWithItsEstimate(t *testing.T) {
	m, err := Open("craft:coin", process.Params{"n_ctx": 6.0})
	if err != nil {
		t.Fatal(err)
	}
	for attribution, want := range map[bool]int{false: 1, true: 2} {
		patched, err := m.Patch(t.Context(), PatchRequest{
			Clean: "BOS,heads,heads,tails", Corrupt: "2,1,0,0", Hook: "attn_out", Attribution: attribution,
		})
		if err != nil {
			t.Fatal(err)
		}
		html, err := documenttest.Written(patched.Forms("foretell"), ".html")
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(html), "<figcaption>"); n != want {
			t.Errorf("%d figures with captions, want %d", n, want)
		}
		if n := len(patched.figure().Panels[0]); n != want {
			t.Errorf("%d maps side by side, want %d", n, want)
		}
	}
}

// A layer that has no MLP or no attention is said so, not by the name of a hook.
func TestAblatedLayersThatAreNone(t *testing.T) {
	for _, test := range []struct {
		model   string
		request AblateRequest
		want    string
	}{
		{"craft:coin", AblateRequest{MLPs: []int{0, 1}}, "MLP of layer 1: this model has 1 layer, counted from 0"},
		{"craft:coin", AblateRequest{Attention: []int{-1}}, "attention of layer -1: this model has 1 layer, counted from 0"},
		{"craft:coin-attention", AblateRequest{MLPs: []int{0}}, "this model has no MLP to ablate (attn_only)"},
		{"craft:induction", AblateRequest{Attention: []int{0}}, "this model has no attention to ablate (residual: concat; ablate its heads instead)"},
		{"craft:induction", AblateRequest{MLPs: []int{0}}, "this model has no MLP to ablate (residual: concat; ablate its heads instead)"},
	} {
		m, err := Open(test.model, nil)
		if err != nil {
			t.Fatal(err)
		}
		test.request.With = intervene.Zero
		if _, err := m.Ablate(t.Context(), test.request); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.model, err, test.want)
		}
	}
}

// A position counts from 0, as flags take it; a KL is after 1, 2, … tokens, as that of a
// run is; texts and figures say which.
func TestPositionsSayHowTheyCount(t *testing.T) {
	m, err := Open("craft:coin-attention", nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Ablate(t.Context(), AblateRequest{Words: []string{"2,1,1", "2,0,1"}, Positions: []int{1}, With: intervene.Zero})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Patch(t.Context(), PatchRequest{Clean: "2,1,1", Corrupt: "2,0,1", Hook: "resid_pre"})
	if err != nil {
		t.Fatal(err)
	}
	var ablated, patched strings.Builder
	a.Forms("").Print(&ablated)
	p.Forms("").Print(&patched)
	table, err := documenttest.Written(a.Forms(""), ".csv")
	if err != nil {
		t.Fatal(err)
	}
	for text, wants := range map[string][]string{
		ablated.String():                     {"after 1\tafter 2\tafter 3", "Positions count from 0.", " at 1\t"},
		patched.String():                     {"at position 2 (from 0)", "position, from 0\t0\t1\t2"},
		documenttest.SVG(t, a.figure(), nil): {">tokens seen<"},
		documenttest.SVG(t, p.figure(), nil): {">position, from 0: token"},
		string(table):                        {",tokens_seen\n", "resid_pre 0 at 1,zero,2,", "resid_pre 0 at 1,zero,all,", "\nthe model as it is,,all,", ",3\n"},
	} {
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
}

// A caption says which parts are not drawn, and a picture calls what it compares with as
// the table does.
func TestAblatedCaption(t *testing.T) {
	m, err := Open("craft:coin-attention", nil)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"2,1,1", "2,0,1"}
	some, err := m.Ablate(t.Context(), AblateRequest{Words: words, Heads: []string{"0.0"}, With: intervene.Zero})
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := documenttest.Written(some.Forms(""), ".svg")
	for _, name := range []string{asItIs, constantGuess} {
		if err != nil || !strings.Contains(string(drawn), ">"+name+"<") {
			t.Errorf("the figure has no %q: %v", name, err)
		}
	}
	if text := some.caption(); !strings.Contains(text, "without each part.") || strings.Contains(text, " of 1 part") {
		t.Error(text)
	}
	for len(some.Parts) < 6 {
		some.Parts = append(some.Parts, some.Parts[0])
	}
	if text := some.caption(); !strings.Contains(text, "without each of the 4 most damaging of 6 parts.") {
		t.Error(text)
	}
}

// A hook with its layer is a map of that layer alone.
func TestPatchOneLayer(t *testing.T) {
	m, err := Open("craft:induction", process.Params{"n_ctx": 8.0})
	if err != nil {
		t.Fatal(err)
	}
	for hook, want := range map[string]string{
		"blocks.1.hook_resid_pre": "layer 1", "blocks.0.attn.hook_pattern": "head 0.0",
	} {
		p, err := m.Patch(t.Context(), PatchRequest{Clean: "0,1,1", Corrupt: "0,2,1", Hook: hook})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range p.Rows {
			if !strings.HasPrefix(row.Name, want) {
				t.Errorf("%s: a row of %s, want %s alone", hook, row.Name, want)
			}
		}
	}
}
