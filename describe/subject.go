package describe

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"foretell/document"
	"foretell/internal/text"
	"foretell/process"
	"foretell/token"
)

// ErrNoHMM is the error if the requested result needs hidden states, or another property
// of a hidden Markov model, that the process does not have.
var ErrNoHMM = errors.New("not a hidden Markov model")

// noHMM returns [ErrNoHMM] with the name of the process. If it is known what an observer
// of the process keeps instead of a belief, the error also names that.
func noHMM(ctx context.Context, p process.Process) error {
	err := fmt.Errorf("%s is %w", p.Name(), ErrNoHMM)
	presenter, ok := p.(process.Presenter)
	if !ok {
		return err
	}
	if _, held := presenter.Presentation(ctx); held != nil {
		if _, what, ok := strings.Cut(held.Error(), "no hidden states; "); ok {
			return fmt.Errorf("%w: %s", err, what)
		}
	}
	return err
}

// Subject is a process with its entry in the catalogue. For a process made by Go code,
// Process is enough.
type Subject struct {
	Process process.Sampler // a [process.Process] unless it is your own recording; see Optimum
	Entry   process.Entry   // from the catalogue; for a process from a file, only a name and a summary
	Params  process.Params  // all parameters, with defaults filled in
	All     bool            // show everything, and also compute slow parts, see [Description.NotComputed]
	Flags   Flags           // named in texts
}

// Flags are the words with which a reader asks for what a text leaves out. A text does
// not mention one that is empty.
type Flags struct {
	All  string // asks for everything, such as --all
	JSON string // asks for a value that has all numbers, such as --json
}

// Optimum returns the process, or a [*process.NoOptimumError] if its best possible
// prediction is not known.
func (s Subject) Optimum() (process.Process, error) { return process.OptimumOf(s.Process) }

// Spec returns the process as a configuration names or defines it. It returns an error
// for a process that a configuration cannot hold.
func (s Subject) Spec() (process.Spec, error) {
	if s.Entry.New != nil {
		return process.Spec{Name: s.Entry.Name, Params: s.Params}, nil
	}
	spec := process.SpecOf(s.Process)
	if spec.ByCode() {
		return spec, fmt.Errorf("%s is defined in a file, and only a hidden Markov model can be kept with a model",
			s.Process.Name())
	}
	return spec, nil
}

// Source identifies the process of a result.
type Source struct {
	Process string         `json:"process"`          // its name
	Params  process.Params `json:"params,omitempty"` // nil if Go code made the process
}

// Source returns the name and the parameters of the process.
func (s Subject) Source() Source { return Source{s.Process.Name(), s.Params} }

// Named returns a process of the catalogue with parameters. It returns an error if the
// name or a parameter is unknown or a value is out of range.
func Named(name string, params process.Params) (Subject, error) {
	entry, full, err := process.Resolve(name, params)
	if err != nil {
		return Subject{}, err
	}
	p, err := entry.New(full)
	return Subject{Process: p, Entry: entry, Params: full}, err
}

// Listing summarises a process of the catalogue.
type Listing struct {
	Name      string         `json:"name"`
	Process   string         `json:"process"` // the same as Name; every result has this field
	Kind      string         `json:"kind"`
	Params    process.Params `json:"params"` // defaults
	States    int            `json:"states"` // number of hidden states, 0 if there are no such states
	Alphabet  int            `json:"alphabet"`
	NumStates int            `json:"n_states"` // the same as States
	NumTokens int            `json:"n_tokens"` // the same as Alphabet
	Summary   string         `json:"summary"`
}

// Listings are the processes of the catalogue.
type Listings []Listing

// List returns the catalogue, each process with its default parameters.
func List() (Listings, error) {
	var list Listings
	for _, e := range process.Catalogue() {
		s, err := Named(e.Name, nil)
		if err != nil {
			return nil, err
		}
		item := Listing{
			Name: e.Name, Process: e.Name, Kind: e.Kind, Params: s.Params, Summary: e.Summary,
			Alphabet: s.Process.Alphabet(), NumTokens: s.Process.Alphabet(),
		}
		if o, ok := s.Process.(process.Observer); ok {
			item.States, item.NumStates = len(o.States()), len(o.States())
		}
		list = append(list, item)
	}
	return list, nil
}

// Forms returns the form of the list for a terminal: for each process its name, the
// summary, and the numbers of states and tokens with the parameters as [Defaults] returns
// them.
func (l Listings) Forms() document.Forms {
	return document.Forms{document.Terminal: document.Text(l.text)}
}

func (l Listings) text() []document.Section {
	t := document.Texts("", nil)
	for i, e := range process.Catalogue() {
		size := text.Count(l[i].Alphabet, "token")
		if l[i].States > 0 {
			size = text.Count(l[i].States, "state") + ", " + size
		}
		if params := Defaults(e.Params); params != "" {
			size += ": " + params
		}
		t.Rows = append(t.Rows, []string{e.Name, e.Summary, size})
	}
	return []document.Section{{Tables: []document.Table{t}}}
}

// Defaults returns parameters with their defaults, in their order: "x=0.15 a=0.6".
func Defaults(params []process.Param) string {
	var list []string
	for _, p := range params {
		list = append(list, p.Name+"="+ValueText(p.Default))
	}
	return strings.Join(list, " ")
}

// ParseWord parses a sequence as a person writes it: tokens of the process by number or
// name, separated by commas or by spaces, as samples are printed. A name that looks like
// a number is not recognised. Text that is not a token is an error, which shows an
// example of a valid sequence; a sequence of probability 0 is not an error.
func (s Subject) ParseWord(text string) ([]int32, error) {
	names := token.Names(s.Process.Tokens())
	return names.Parse(text, len(names), func() []int32 {
		return process.ExampleOf(s.Process, process.ExampleLength)
	})
}
