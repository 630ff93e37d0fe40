package walk

// Document is a walk through a forward pass, from which all output formats and the JSON
// form are made.
type Document struct {
	Origin `json:"-"`

	Title    string    `json:"title"`
	Intro    []string  `json:"intro"` // the paragraphs at the top
	Tokens   []int32   `json:"tokens"`
	Names    []string  `json:"names,omitempty"` // names of all tokens of the alphabet; nil if they have no names
	Digits   int       `json:"digits"`
	Size     int       `json:"size"`
	Sections []Section `json:"sections"`
	// Attribution splits up the winning logit. It is nil if only one layer is shown.
	Attribution *Attribution `json:"attribution,omitempty"`
}

// Origin is the provenance that a page prints. Empty fields are omitted.
type Origin struct {
	Model      string // the model's name
	Parameters string // how the weights of a handwritten model were chosen
	Command    string // the command line that made the walk
}

// Section is a part of the forward pass: the embedding, a layer, the output.
type Section struct {
	Title string `json:"title"`
	Steps []Step `json:"steps"`
}

// Step is one step of the forward pass.
type Step struct {
	Title     string     `json:"title"`
	Hook      string     `json:"hook,omitempty"` // the activation computed by the step; empty if it has no hook
	Equations []Equation `json:"equations"`
	Note      string     `json:"note"` // one sentence; code is between backquotes
}

// Equation states that Left equals Right. Left is the result: an operand, or several
// operands side by side, with their numbers.
type Equation struct {
	Left, Right Formula
	// RowNames and ColumnNames name the tokens of the result's rows and columns. They are
	// nil if tokens have no names.
	RowNames, ColumnNames []string
}

// Result returns the numbers of the left-hand side.
func (e Equation) Result() Matrix { return e.Left.compute(false) }
