package lab

import (
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foretell/claim"
	"foretell/inspect"
	"foretell/internal/golden"
	"foretell/internal/limit"
	"foretell/paper"
	"foretell/probe"
	"foretell/run"
	"foretell/runtable"
	"foretell/train"
)

// printed is what the page Reproduce shows of a row: what the ledger in docs/results
// says, how one of the row's models is trained, and the values of that model.
type printed struct {
	Document string `json:"document"`
	ID       string `json:"id"`

	Statement string         `json:"statement"`
	Source    string         `json:"source"`
	Quote     string         `json:"quote"`
	Verdict   claim.Verdict  `json:"verdict"`
	Reason    claim.Reason   `json:"reason"`
	Profile   claim.Profile  `json:"profile"`
	Date      string         `json:"date"`
	Models    int            `json:"models"`
	Asked     claim.Question `json:"asked"`

	// What the row asks of the R² of its models: the least value for each stage.
	LeastPost float64 `json:"least_post"`
	LeastMid  float64 `json:"least_mid"`

	Run    string        `json:"run"` // ends with the seed
	Config string        `json:"config"`
	Quick  int           `json:"quick"` // models that the row trains in the quick profile
	Values printedValues `json:"values"`
	All    printedReads  `json:"all"` // over all sequences, as the row asks
}

// printedValues are rounded as the page shows them.
type printedValues struct {
	SHA256 string       `json:"sha256"`
	KL     float64      `json:"kl"` // nats
	Length int          `json:"length"`
	Reads  printedReads `json:"reads"` // over sequences of up to Length tokens
}

// printedReads are R² of beliefs after the MLP and of constrained beliefs after
// attention, and the same in the model with which the training began.
type printedReads struct {
	Post          float64 `json:"post"`
	PostUntrained float64 `json:"post_untrained"`
	Mid           float64 `json:"mid"`
	MidUntrained  float64 `json:"mid_untrained"`
}

// thresholds are in the question of the row.
var thresholds = regexp.MustCompile(`^x = 0\.15, α = 0\.6: is R² of a regression on all directions ` +
	`≥ (\S+) for beliefs in resid_post and ≥ (\S+) for constrained beliefs in resid_mid\?`)

// The page Reproduce shows what the ledger says, and the values that a model of the row
// has: it is trained here. After a change, write them again with -update, and then run
// make lab.
func TestPrintedValues(t *testing.T) {
	p := printed{Document: "mess3", ID: "M2"}
	p.read(t)
	p.train(t)
	var text strings.Builder
	text.WriteString("// Written by go test ./lab -run TestPrintedValues -update.\nexport const printed = ")
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(p); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("web", "src", "printed.js"), text.String())
}

// read fills in what the ledger says of the row.
func (p *printed) read(t *testing.T) {
	data, err := limit.ReadFile(filepath.Join("..", "docs", "results", p.Document+".json"), "published results", 1<<24)
	if err != nil {
		t.Fatal(err)
	}
	var ledger struct {
		Profile claim.Profile
		Results []struct {
			Claim  claim.Claim
			Date   string
			Models *claim.Models
		}
	}
	if err := json.Unmarshal(data, &ledger); err != nil {
		t.Fatal(err)
	}
	for _, of := range ledger.Results {
		c := of.Claim
		if c.ID != p.ID {
			continue
		}
		p.Statement, p.Source, p.Quote, p.Verdict, p.Reason = c.Statement, c.Source, c.Quote, c.Verdict, c.Reason
		p.Profile, p.Date, p.Models = ledger.Profile, of.Date, of.Models.Count
		i := slices.IndexFunc(c.Asked, func(q claim.Question) bool { return thresholds.MatchString(q.Question) })
		p.Asked = c.Asked[i]
		p.Asked.Effect = nil
	}
	least := thresholds.FindStringSubmatch(p.Asked.Question)
	p.LeastPost, err = strconv.ParseFloat(least[1], 64)
	if err == nil {
		p.LeastMid, err = strconv.ParseFloat(least[2], 64)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// between is the number of steps between two looks of the page.
const between = 50

// train trains the first model of the row in the quick profile, and fills in its values.
func (p *printed) train(t *testing.T) {
	document, err := paper.Named(p.Document)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := claim.Select(document.Rows(claim.Quick), []string{p.ID})
	if err != nil {
		t.Fatal(err)
	}
	trainings := rows[0].Trainings
	p.Run, p.Quick = trainings[0].Name, len(trainings)
	c := trainings[0].Config
	c.Train.EvaluateEvery, c.Train.CheckpointEvery, c.Train.Checkpoints = between, between, train.Checkpoints{Rule: "all"}
	full, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	yaml, err := full.YAML()
	if err != nil {
		t.Fatal(err)
	}
	p.Config = string(yaml)

	c.Train.EvaluateEvery, c.Train.CheckpointEvery = 0, 0 // the bits do not depend on them
	dir := filepath.Join(t.TempDir(), p.Run)
	if _, err := run.Ensure(t.Context(), dir, c, run.Options{}); err != nil {
		t.Fatal(err)
	}
	shown, err := runtable.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	p.Values = printedValues{
		SHA256: shown.Weights.SHA256, KL: rounded(shown.Results["kl"]), Length: short, Reads: reads(t, dir, short),
	}
	p.All = reads(t, dir, c.Model.NCtx)
}

// short is the length of the sequences that the page measures. In a tab, all sequences of
// ten tokens would take half a minute in a browser without relaxed multiply-adds.
const short = 6

// reads returns the R² of the run's model over sequences of up to length tokens.
func reads(t *testing.T, dir string, length int) (found printedReads) {
	m, err := inspect.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(stage int, target probe.Target) (trained, untrained float64) {
		p, err := m.Probe(t.Context(), probe.Question{Target: target, Convention: probe.Ours}, length)
		if err != nil {
			t.Fatal(err)
		}
		return rounded(p.Stages[stage].R2), rounded(p.Stages[stage].Random)
	}
	found.Mid, found.MidUntrained = at(1, probe.Constrained)
	found.Post, found.PostUntrained = at(2, probe.Beliefs)
	return found
}

// rounded returns a number with the digits that the page shows: five after the point, or
// three in all if it is small.
func rounded(x float64) float64 {
	format, digits := byte('f'), 5
	if math.Abs(x) < 1e-3 {
		format, digits = 'e', 2
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, format, digits, 64), 64)
	if err != nil {
		panic(err)
	}
	return r
}
