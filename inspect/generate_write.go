package inspect

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"foretell/internal/csvtable"
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

// Write writes the continuation in the format of a file extension: .txt is the text, or
// the tokens on a line as [ReadWord] reads them; .csv and .jsonl have a row for each of
// [Continuation.Steps]; .json is one value. Any other extension is an error.
func (c *Continuation) Write(w io.Writer, ending string) error {
	return forms{".txt": c.writeText, ".csv": c.writeCSV, ".jsonl": c.writeLines, ".json": asJSON(c)}.write(w, ending)
}

func (c *Continuation) writeText(w io.Writer) error {
	text := FormatWord(append(c.Prompt[:len(c.Prompt):len(c.Prompt)], c.Tokens...), c.names)
	if c.Text != nil {
		text = *c.Text
	}
	_, err := io.WriteString(w, text+"\n")
	return err
}

func (c *Continuation) writeCSV(w io.Writer) error {
	number := func(x *float64) string {
		if x == nil {
			return ""
		}
		return exact(*x)
	}
	table := [][]string{{"position", "token", "name", "prompt", "model", "optimal"}}
	if c.Values != nil {
		table[0] = append(table[0], "value")
	}
	for _, s := range c.Steps() {
		row := []string{
			strconv.Itoa(s.Position), strconv.Itoa(int(s.Token)), s.Name, strconv.FormatBool(s.Prompt),
			number(s.Model), number(s.Optimal),
		}
		if c.Values != nil {
			row = append(row, number(s.Value))
		}
		table = append(table, row)
	}
	data, err := csvtable.Bytes(table)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

func (c *Continuation) writeLines(w io.Writer) error {
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	for _, s := range c.Steps() {
		if err := enc.Encode(s); err != nil {
			return err
		}
	}
	_, err := w.Write(lines.Bytes())
	return err
}
