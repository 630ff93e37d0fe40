package inspect

import "foretell/process"

// Trace is what an observer of a word knows: row t is after t tokens.
type Trace struct {
	States []string `json:"-"` // the names of a belief's entries
	Word   []string `json:"-"` // the names of the tokens

	Beliefs     [][]float64 `json:"beliefs"`     // (t, state)
	Constrained [][]float64 `json:"constrained"` // (t, state); null where the process tells none
	Next        [][]float64 `json:"next"`        // (t, token): the distribution of the next one
	LogProb     float64     `json:"log_prob"`    // of the word, nats
}

// Beliefs follows the beliefs of an optimal observer along a word, and the constrained
// ones. It is an error when the process has no hidden states ([ErrNoHMM]) or the word
// cannot occur.
func Beliefs(p process.Process, word []int32) (*Trace, error) {
	o, ok := p.(process.Observer)
	if !ok {
		return nil, noHMM(p)
	}
	beliefs, err := o.Beliefs(word)
	if err != nil {
		return nil, err
	}
	t := &Trace{States: o.States(), Beliefs: beliefs}
	for _, z := range word {
		t.Word = append(t.Word, p.Tokens()[z])
	}
	if t.LogProb, err = o.LogProb(word); err != nil {
		return nil, err
	}
	for _, belief := range beliefs {
		t.Next = append(t.Next, o.Next(belief))
	}
	c, ok := p.(process.Constrainer)
	if !ok {
		return t, nil
	}
	for n := range beliefs {
		r, err := c.Constrained(word[:n])
		if err != nil {
			return nil, err
		}
		t.Constrained = append(t.Constrained, r)
	}
	return t, nil
}
