package inspect

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"foretell/document"
	"foretell/figure"
	"foretell/internal/csvtable"
)

// Predicted is a prediction with what is needed to show it.
type Predicted struct {
	*Prediction
	Model string   // the name under which the model was opened
	Word  []int32  // the tokens before the prediction
	Names []string // names of the process's tokens, nil if not known
	Top   int      // number of likeliest tokens to print; for 0 see [Prediction.Print]
}

// Print writes the prediction as text, see [Prediction.Print].
func (p *Predicted) Print(w io.Writer) { p.Prediction.Print(w, p.Names, p.Top) }

// Write returns the prediction in the format of a file extension: .svg is the figure,
// .html a self-contained page that names the command line, .csv a row for each token, and
// .json the output of --json. Any other extension is an error.
func (p *Predicted) Write(ending, command string) ([]byte, error) {
	draw := func() (*figure.Figure, error) { return p.Figure(), nil }
	html := func() ([]byte, error) { return p.page(command).HTML() }
	return written(ending, draw, html, p.CSV, p.Prediction)
}

// token returns the name of a token, or its number if it has no name.
func (p *Predicted) token(z int) string {
	if z < len(p.Names) {
		return p.Names[z]
	}
	return strconv.Itoa(z)
}

// optimal returns the optimal predictor's probability of a token, which is 0 if the token
// is outside the process's alphabet.
func (p *Predicted) optimal(z int) float64 {
	if z < len(p.Optimal) {
		return p.Optimal[z]
	}
	return 0
}

// longestAfter is the largest number of tokens that a title lists.
const longestAfter = 16

// after lists the tokens before the prediction, only the last 16 if there are more.
func (p *Predicted) after() string {
	word, cut := p.Word, ""
	if len(word) > longestAfter {
		word, cut = word[len(word)-longestAfter:], "… "
	}
	if len(word) == 0 {
		return "Before any token."
	}
	return "After " + cut + wordText(word, p.Names) + "."
}

func (p *Predicted) divergence() string {
	return fmt.Sprintf("KL from the optimal prediction to the model's: %.2e\u00a0nats.", p.KL)
}

func (p *Predicted) caption() string {
	text := "The model's probability of each next token"
	if p.Values != nil {
		text = "The model's probability of each value of the next sample, in the signal's unit"
	} else if n, drawn := len(p.Prediction.Model), len(p.drawn()); n > drawn {
		text += fmt.Sprintf(", for the %d likeliest of %d tokens", drawn, n)
	}
	switch {
	case p.Impossible != nil:
		text += ". There is no optimum after these tokens: " + p.Impossible.Error() + ". " + p.after()
	case p.Optimality == nil:
		text += "; the best possible prediction is not known. " + p.after()
	default:
		text += ", and the optimal probability under its process" + p.memorised() + ". " + p.after() + " " +
			p.divergence()
	}
	return strings.Join(append([]string{text}, p.forecasts()...), " ")
}

// table returns a row for each token.
func (p *Predicted) table() [][]string {
	table := [][]string{{"token", "name", "model", "optimal"}}
	if p.Values != nil {
		table[0] = append(table[0], "value")
	}
	for z, q := range p.Prediction.Model {
		row := []string{strconv.Itoa(z), p.token(z), exact(q), ""}
		if p.Optimality != nil {
			row[3] = exact(p.optimal(z))
		}
		if z < len(p.Values) {
			row = append(row, exact(p.Values[z]))
		} else if p.Values != nil {
			row = append(row, "")
		}
		table = append(table, row)
	}
	return table
}

// CSV returns a row for each token: its number and name, its probability under the model,
// its optimal probability (empty if not known) and, for a signal, its value.
func (p *Predicted) CSV() ([]byte, error) { return csvtable.Bytes(p.table()) }

func (p *Predicted) page(command string) document.Document {
	table, f := p.table(), p.Figure()
	return document.Document{Title: f.Title, Subtitle: "Made by `" + command + "`", Sections: []document.Section{{
		Figure: withoutHeading(f), Caption: p.caption(),
		Tables: []document.Table{{Title: "The numbers", Columns: table[0], Rows: table[1:]}},
	}}}
}
