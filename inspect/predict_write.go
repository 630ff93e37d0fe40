package inspect

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"foretell/figure"
	"foretell/internal/csvtable"
	"foretell/internal/page"
)

// Predicted is a prediction with what it takes to show that.
type Predicted struct {
	*Prediction
	Model string   // as it was named
	Word  []int32  // the tokens that were seen
	Names []string // of the process's tokens, nil where none is known
	Top   int      // how many of the likeliest tokens Print shows; 0 as Print has it
}

// Print writes the prediction for people, see [Prediction.Print].
func (p *Predicted) Print(w io.Writer) { p.Prediction.Print(w, p.Names, p.Top) }

// Write returns the prediction as a file of an ending: .svg is the figure, .html a page
// of one file, for which command is the command line that makes it, .csv a row for each
// token and .json what --json prints. Another ending is an error.
func (p *Predicted) Write(ending, command string) ([]byte, error) {
	draw := func() (*figure.Figure, error) { return p.Figure(), nil }
	html := func() ([]byte, error) { return p.page(command).HTML() }
	return written(ending, draw, html, p.CSV, p.Prediction)
}

// token is the name of a token, its number where it has none.
func (p *Predicted) token(z int) string {
	if z < len(p.Names) {
		return p.Names[z]
	}
	return strconv.Itoa(z)
}

// optimal is the optimal probability of a token, 0 of one beyond the process's.
func (p *Predicted) optimal(z int) float64 {
	if z < len(p.Optimal) {
		return p.Optimal[z]
	}
	return 0
}

// longestAfter is how many tokens of a word a title names.
const longestAfter = 16

// after says after which tokens, of many the last.
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
		text += fmt.Sprintf(", of the %d likeliest of %d", drawn, n)
	}
	switch {
	case p.Impossible != nil:
		text += ". There is no optimum after these tokens: " + p.Impossible.Error() + ". " + p.after()
	case p.Optimality == nil:
		text += "; the best possible prediction is not known. " + p.after()
	default:
		text += ", beside that of the optimal predictor of its process" + p.memorised() + ". " + p.after() + " " +
			p.divergence()
	}
	return strings.Join(append([]string{text}, p.forecasts()...), " ")
}

// table is a row for each token.
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

// CSV returns a row for each token: its number and name, the model's probability of it
// and the optimal one, empty where none is known; of a signal what the token stands for.
func (p *Predicted) CSV() ([]byte, error) { return csvtable.Bytes(p.table()) }

func (p *Predicted) page(command string) page.Page {
	table, f := p.table(), p.Figure()
	return page.Page{Title: f.Title, Subtitle: "Made by `" + command + "`", Sections: []page.Section{{
		Figure: withoutHeading(f), Caption: p.caption(),
		Tables: []page.Table{{Title: "The numbers", Columns: table[0], Rows: table[1:]}},
	}}}
}
