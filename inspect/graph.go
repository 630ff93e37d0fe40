package inspect

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
	mostDrawn = 200 // nodes of a picture that a person can read
	fewNodes  = 9   // that stand on one circle
	// mostLabels is how many tokens are written at an arrow of a picture.
	mostLabels = 8
	// mostWeighed is up to how many nodes a picture has probabilities at its arrows, where
	// they do not lie over each other.
	mostWeighed = 16
)

// ErrTooMany is the error of a graph that nobody could read.
var ErrTooMany = errors.New("too many for a picture")

// Graph is a graph of a process: nodes, and at most one edge from a node to another, with
// a label "token:probability" for each token; between the states of a generalised process
// it is "token:entry", of the matrix T^z.
type Graph struct {
	Name  string // of the process
	What  string // the nodes, in the plural: "states" or "beliefs"
	Desc  string // one sentence
	Nodes []Node
	Edges []figure.Edge

	index   map[[2]int]int // of the edge from a node to another
	entries bool           // of T^z of a generalised process stand at the edges, no probabilities
}

// Node is a hidden state or a belief.
type Node struct {
	Label     string
	Belief    []float64 // by state; nil for a hidden state
	Transient bool      // of a belief: an observer does not return to it
}

// StateGraph returns the graph of the hidden states. It is an error when the process has
// none ([ErrNoHMM]).
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

// BeliefGraph returns the graph of the beliefs of an optimal observer. It is an error
// when the process has no hidden states ([ErrNoHMM]), or beliefs without end.
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
		Desc: "Beliefs of an optimal observer, π before any token, and the tokens between them; transient ones are grey.",
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

// add adds a token to the edge between two nodes.
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

// short prints a number with three digits after the point at most, but never one
// that is not 0 as 0.
func short(v float64) string {
	rounded := math.Round(v*1000) / 1000
	if rounded == 0 && v != 0 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(rounded+0, 'g', -1, 64)
}

// DOT writes the graph in the language of Graphviz.
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

// text is the label with the belief on a second line.
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

// arrows says what stands at the arrows of a picture.
func (g *Graph) arrows() string {
	entry, all := "probability of it and of going there", "probabilities"
	if g.entries {
		entry, all = "entry of its T^z, which is no probability", "entries of T^z, which are no probabilities"
	}
	if g.weighed() {
		return "At each arrow: the token, and the " + entry + "."
	}
	return "At each arrow: the token. As .dot the graph has the " + all + ", too."
}

// weighed says whether a picture has probabilities at its arrows.
func (g *Graph) weighed() bool { return len(g.Nodes) <= mostWeighed }

// Figure draws the graph: few nodes on a circle, many by their distance from the first;
// of an arrow of many tokens the first. Beyond 16 nodes arrows have tokens alone. It is
// an error when there are more than 200 ([ErrTooMany]).
func (g *Graph) Figure() (*figure.Figure, error) {
	if len(g.Nodes) > mostDrawn {
		return nil, fmt.Errorf("%s: %d %s are %w", g.Name, len(g.Nodes), g.What, ErrTooMany)
	}
	picture := figure.Graph{Rings: len(g.Nodes) > fewNodes}
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
		picture.Edges = append(picture.Edges, e)
	}
	for _, n := range g.Nodes {
		picture.Nodes = append(picture.Nodes, figure.Node{Label: n.Label, Open: n.Transient})
	}
	f := figure.Single(g.Name+": "+g.What, g.Desc, picture)
	f.Width = picture.NaturalWidth()
	return f, nil
}
