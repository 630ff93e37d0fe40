package walk

// Document is a walk: what a renderer writes, and JSON carries.
type Document struct {
	Origin `json:"-"`

	Title    string    `json:"title"`
	Intro    []string  `json:"intro"` // paragraphs
	Tokens   []int32   `json:"tokens"`
	Names    []string  `json:"names,omitempty"` // of the alphabet's tokens, where they have any
	Digits   int       `json:"digits"`
	Size     int       `json:"size"`
	Sections []Section `json:"sections"`
	// Attribution adds up the winning logit. It is nil in the walk of one layer.
	Attribution *Attribution `json:"attribution,omitempty"`
}

// Origin is what a page says of where a walk comes from; what is empty is left out.
type Origin struct {
	Model      string // whose walk it is
	Parameters string // of a model whose weights are written by hand
	Command    string // that made the walk
}

// Section is a part of the forward pass: the embedding, a layer, the output.
type Section struct {
	Title string `json:"title"`
	Steps []Step `json:"steps"`
}

// Step is one step of the forward pass.
type Step struct {
	Title     string     `json:"title"`
	Hook      string     `json:"hook,omitempty"` // the activation that the step makes; empty if it has no hook
	Equations []Equation `json:"equations"`
	Note      string     `json:"note"` // one sentence; names stand between backquotes
}

// Equation says that a formula has a result. Left names the result, an operand or
// several of them side by side, and holds its numbers.
type Equation struct {
	Left, Right Formula
	// RowNames and ColumnNames are what the result's rows and columns belong to, in the
	// names of tokens; nil where tokens have no names.
	RowNames, ColumnNames []string
}

// Result returns the numbers of the left-hand side.
func (e Equation) Result() Matrix { return e.Left.compute(false) }
