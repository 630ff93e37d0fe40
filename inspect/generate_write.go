package inspect

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"foretell/document"
)

// Step is a token of a continuation or of its prompt.
type Step struct {
	Position int      `json:"position"`        // from 0
	Token    int32    `json:"token"`           // its number
	Name     string   `json:"name,omitempty"`  // empty if tokens have no names
	Value    *float64 `json:"value,omitempty"` // its value, if the process is a signal
	Prompt   bool     `json:"prompt"`          // whether it belongs to the prompt
	Model    *float64 `json:"model"`           // the model's probability of the token; nil in the prompt
	Optimal  *float64 `json:"optimal"`         // the optimal probability; nil in the prompt or if there is no optimum
}

// Steps lists the tokens of the prompt and the generated ones.
func (c *Continuation) Steps() []Step {
	steps := make([]Step, 0, len(c.Prompt)+len(c.Tokens))
	add := func(s Step) {
		s.Position = len(steps)
		if int(s.Token) < len(c.names) {
			s.Name = c.names[s.Token]
		}
		if int(s.Token) < len(c.Values) {
			s.Value = &c.Values[s.Token]
		}
		steps = append(steps, s)
	}
	for _, z := range c.Prompt {
		add(Step{Token: z, Prompt: true})
	}
	for i, z := range c.Tokens {
		s := Step{Token: z, Model: &c.Model[i]}
		if i < len(c.Optimal) {
			s.Optimal = c.Optimal[i]
		}
		add(s)
	}
	return steps
}

// Forms returns the forms of the continuation: for a terminal the text, with control
// characters escaped, or the tokens on a line (see [token.Names.Format]) and the line of
// [Continuation.Beyond]; .txt, the text or the tokens; .csv and .jsonl with a row for
// each of [Continuation.Steps]; and .json.
func (c *Continuation) Forms() document.Forms {
	return document.Forms{
		document.Terminal: document.Text(c.text),
		".txt":            c.writeText,
		".csv":            document.CSV(document.Sure(c.numbers)),
		".jsonl":          c.writeLines,
		".json":           document.JSON(c),
	}
}

// tokens returns the prompt and the continuation as [token.Names.Parse] reads them.
func (c *Continuation) tokens() string { return c.names.Format(slices.Concat(c.Prompt, c.Tokens), " ") }

func (c *Continuation) text() []document.Section {
	s := document.Section{}
	if c.Text != nil {
		for line := range strings.Lines(*c.Text) {
			s.Text = append(s.Text, strings.TrimSuffix(line, "\n"))
		}
		return []document.Section{s}
	}
	s.Text = []string{c.tokens()}
	if beyond := c.Beyond(); beyond != "" {
		s.Text = append(s.Text, beyond)
	}
	return []document.Section{s}
}

func (c *Continuation) writeText(w io.Writer) error {
	text := c.tokens()
	if c.Text != nil {
		text = *c.Text
	}
	_, err := io.WriteString(w, text+"\n")
	return err
}

func (c *Continuation) numbers() document.Frame {
	names := []string{"position", "token", "name", "prompt", "model", "optimal"}
	if c.Values != nil {
		names = append(names, "value")
	}
	f := document.Frame{Columns: document.Named(names...)}
	for _, s := range c.Steps() {
		cells := []any{
			s.Position, int(s.Token), s.Name, strconv.FormatBool(s.Prompt), s.Model, s.Optimal, s.Value,
		}
		f.Row(cells[:len(names)]...)
	}
	return f
}

func (c *Continuation) writeLines(w io.Writer) error {
	for _, s := range c.Steps() {
		if err := document.JSON(s)(w); err != nil {
			return err
		}
	}
	return nil
}
