package describe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/figure"
	"foretell/process"
)

const (
	mostDrawn = 200 // largest number of nodes in a readable picture
	fewNodes  = 9   // largest number of nodes on one circle
	// mostLabels is the largest number of tokens written at an arrow of a picture.
	mostLabels = 8
	// mostWeighed is the largest number of nodes in a picture whose arrows are labelled with
	// probabilities. With more nodes, the labels would overlap.
	mostWeighed = 16
)

// ErrTooMany is the error for a graph that is too large to read as a picture.
var ErrTooMany = errors.New("too many for a picture")

// Graph is a graph of a process: nodes, and at most one edge between two nodes in each
// direction, with a label "token:probability" for each token. Between the states of a
// generalised process the label is "token:entry", an entry of the matrix T^z.
type Graph struct {
	Name  string // name of the process
	What  string // plural of the nodes: "states" or "beliefs"
	Desc  string // one sentence
	Nodes []Node
	Edges []figure.Edge

	index   map[[2]int]int // [from, to] → index in Edges
	entries bool           // labels have entries of T^z of a generalised process, not probabilities
}

// Node is a hidden state or a belief.
type Node struct {
	Label     string
	Belief    []float64 // by state; nil for a hidden state
	Transient bool      // whether an observer never returns to the belief
}

// StateGraph returns the graph of the hidden states. It returns an error if the process
// has no hidden states ([ErrNoHMM]).
func StateGraph(ctx context.Context, p process.Process) (*Graph, error) {
	m, ok := p.(process.Machine)
	if !ok {
		return nil, noHMM(ctx, p)
	}
	g := &Graph{Name: p.Name(), What: "states", Desc: "Hidden states and the tokens emitted between them."}
	if g.entries = m.Generalised(); g.entries {
		g.Desc = "The states of a generalised process, and the tokens between them."
	}
	for _, state := range m.States() {
		g.Nodes = append(g.Nodes, Node{Label: state})
	}
	n := len(g.Nodes)
	for z, token := range p.Tokens() {
		for k, q := range m.Transition(z) {
			if q != 0 {
				g.add(k/n, k%n, token, q)
			}
		}
	}
	return g, nil
}

// BeliefGraph returns the graph of the beliefs of an optimal observer. It returns an
// error if the process has no hidden states ([ErrNoHMM]) or infinitely many beliefs.
func BeliefGraph(ctx context.Context, p process.Process) (*Graph, error) {
	presenter, ok := p.(process.Presenter)
	if _, observed := p.(process.Observer); !ok || !observed {
		return nil, noHMM(ctx, p)
	}
	found, err := presenter.Presentation(ctx)
	if err != nil {
		return nil, err
	}
	g := &Graph{
		Name: p.Name(), What: "beliefs",
		Desc: "Beliefs of an optimal observer, π before any token, and the tokens between them. " +
			"Transient beliefs are grey.",
	}
	for k, belief := range found.Beliefs {
		label := "π"
		if k > 0 {
			label = strconv.Itoa(k)
		}
		g.Nodes = append(g.Nodes, Node{label, belief, found.Stationary[k] == 0})
	}
	tokens := p.Tokens()
	for _, e := range found.Edges {
		g.add(e.From, e.To, tokens[e.Token], e.P)
	}
	return g, nil
}

// add adds a token to the edge between two nodes, with its probability or, for a
// generalised process, its matrix entry p.
func (g *Graph) add(from, to int, token string, p float64) {
	if g.index == nil {
		g.index = map[[2]int]int{}
	}
	at, ok := g.index[[2]int{from, to}]
	if !ok {
		at = len(g.Edges)
		g.index[[2]int{from, to}] = at
		g.Edges = append(g.Edges, figure.Edge{From: from, To: to})
	}
	g.Edges[at].Labels = append(g.Edges[at].Labels, token+":"+short(p))
}

// short formats a number with at most three decimals, but never a nonzero number as 0.
func short(v float64) string {
	rounded := math.Round(v*1000) / 1000
	if rounded == 0 && v != 0 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(rounded+0, 'g', -1, 64)
}

// DOT writes the graph in the Graphviz language.
func (g *Graph) DOT(w io.Writer) error {
	fmt.Fprintf(w, "digraph %s {\n  rankdir=LR;\n  node [shape=circle];\n", strconv.Quote(g.Name))
	for _, n := range g.Nodes {
		style := ""
		if n.Transient {
			style = ", style=dashed"
		}
		fmt.Fprintf(w, "  %s [label=%s%s];\n", strconv.Quote(n.Label), strconv.Quote(n.text()), style)
	}
	for _, e := range g.Edges {
		from, to := g.Nodes[e.From].Label, g.Nodes[e.To].Label
		fmt.Fprintf(w, "  %s -> %s [label=%s];\n",
			strconv.Quote(from), strconv.Quote(to), strconv.Quote(strings.Join(e.Labels, "\n")))
	}
	_, err := fmt.Fprintln(w, "}")
	return err
}

// text returns the text of a node in a DOT file: its label and, on a second line, its
// belief.
func (n Node) text() string {
	if n.Belief == nil {
		return n.Label
	}
	entries := make([]string, len(n.Belief))
	for i, v := range n.Belief {
		entries[i] = short(v)
	}
	return n.Label + "\n" + strings.Join(entries, " ")
}

// arrows returns a sentence that explains the labels of arrows in a picture.
func (g *Graph) arrows() string {
	entry, all := "probability of emitting it and moving there", "probabilities"
	if g.entries {
		entry, all = "entry of its matrix T^z, which is not a probability", "entries of the matrices T^z"
	}
	if g.classes() != nil {
		return "The colour and the dashes of an arrow show its token. The .dot format also has the " + all + "."
	}
	if g.weighed() {
		return "Each arrow shows the token and the " + entry + "."
	}
	return "Each arrow shows the token. The .dot format also has the " + all + "."
}

// weighed reports whether a picture labels its arrows with probabilities.
func (g *Graph) weighed() bool { return len(g.Nodes) <= mostWeighed }

// Figure draws the graph. Up to nine nodes are placed on a circle, more on rings by their
// distance from the first node. An arrow with many tokens shows only the first of them.
// With more than 16 nodes, arrows show tokens without probabilities. It returns an error
// for more than 200 nodes ([ErrTooMany]).
func (g *Graph) Figure() (*figure.Figure, error) {
	if len(g.Nodes) > mostDrawn {
		return nil, fmt.Errorf("%s: %d %s are %w", g.Name, len(g.Nodes), g.What, ErrTooMany)
	}
	picture := figure.Graph{Rings: len(g.Nodes) > fewNodes, Classes: g.classes()}
	for _, e := range g.Edges {
		if n := len(e.Labels); n > mostLabels {
			e.Labels = append(e.Labels[:mostLabels-1:mostLabels-1], fmt.Sprintf("… %d more", n-mostLabels+1))
		}
		if !g.weighed() {
			e.Labels = slices.Clone(e.Labels)
			for i, text := range e.Labels {
				if at := strings.LastIndex(text, ":"); at >= 0 {
					e.Labels[i] = text[:at]
				}
			}
		}
		if picture.Classes == nil {
			picture.Edges = append(picture.Edges, e)
			continue
		}
		for _, token := range e.Labels {
			e.Labels = []string{"token " + token}
			picture.Edges = append(picture.Edges, e)
		}
	}
	for _, n := range g.Nodes {
		picture.Nodes = append(picture.Nodes, figure.Node{Label: n.Label, Open: n.Transient})
	}
	f := figure.Single(g.Name+": "+g.What, g.Desc, picture)
	f.Width = picture.NaturalWidth()
	return f, nil
}

// mostTokenClasses is the largest alphabet whose tokens are drawn as colours of arrows.
const mostTokenClasses = 4

// classes returns a name for each token if arrows show tokens by colour and dashes. They
// do if the graph is too large for probabilities at its arrows and has at most four
// tokens. Otherwise classes returns nil.
func (g *Graph) classes() (names []string) {
	if g.weighed() {
		return nil
	}
	for _, e := range g.Edges {
		for _, text := range e.Labels {
			name := "token " + text[:strings.LastIndex(text, ":")]
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) > mostTokenClasses {
		return nil
	}
	slices.Sort(names)
	return names
}
