package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"foretell/figure"
	"foretell/process"

	"github.com/spf13/cobra"
)

// graph is what `process show` draws: nodes, and at most one edge from a node to
// another, with a line "token:probability" for each token.
type graph struct {
	name, what string
	nodes      []graphNode
	edges      []figure.Edge
	index      map[[2]int]int // of the edge from a node to another
}

type graphNode struct {
	label     string
	detail    string // a second line, for dot
	transient bool
}

// mostDrawn bounds the nodes of a picture that a person can read.
const mostDrawn = 200

func drawProcess(cmd *cobra.Command, p subject, format, what string) error {
	h, err := asHMM(cmd, p.Process)
	if err != nil {
		return err
	}
	var f *figure.Figure
	switch what {
	case "geometry":
		f, err = geometry(h)
	case "attention":
		f, err = attentionPicture(h)
	default:
		var g *graph
		if g, err = graphOf(h, what); err != nil {
			return err
		}
		if format == "dot" {
			return g.writeDOT(cmd.OutOrStdout())
		}
		if len(g.nodes) > mostDrawn {
			return fmt.Errorf("%s: %d %s are too many for a picture; give --format dot", h.Name(), len(g.nodes), what)
		}
		f = g.figure()
	}
	if err != nil {
		return err
	}
	picture, err := f.SVG()
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(picture)
	return err
}

// graphOf is the graph of the states or of the beliefs.
func graphOf(h *process.HMM, what string) (*graph, error) {
	if what == "states" {
		return stateGraph(h), nil
	}
	presentation, err := h.Presentation()
	if err != nil {
		return nil, fmt.Errorf("--graph beliefs: %w; --graph geometry draws them without a graph", err)
	}
	return beliefGraph(h, presentation), nil
}

// stateGraph is the graph of the hidden states.
func stateGraph(h *process.HMM) *graph {
	g := &graph{name: h.Name(), what: "Hidden states and the tokens emitted between them."}
	for _, state := range h.States() {
		g.nodes = append(g.nodes, graphNode{label: state})
	}
	n := h.NumStates()
	for z, token := range h.Tokens() {
		for k, p := range h.Transition(z) {
			if p != 0 {
				g.add(k/n, k%n, token, p)
			}
		}
	}
	return g
}

// beliefGraph is the graph of the beliefs of an optimal observer.
func beliefGraph(h *process.HMM, p *process.Presentation) *graph {
	g := &graph{name: h.Name(), what: "Beliefs of an optimal observer and the tokens between them; transient ones are open."}
	for k, belief := range p.Beliefs {
		label := "π"
		if k > 0 {
			label = strconv.Itoa(k)
		}
		var entries []string
		for _, v := range belief {
			entries = append(entries, short(v))
		}
		g.nodes = append(g.nodes, graphNode{label, strings.Join(entries, " "), p.Stationary[k] == 0})
	}
	for _, e := range p.Edges {
		g.add(e.From, e.To, h.Tokens()[e.Token], e.P)
	}
	return g
}

func (g *graph) add(from, to int, token string, p float64) {
	if g.index == nil {
		g.index = map[[2]int]int{}
	}
	at, ok := g.index[[2]int{from, to}]
	if !ok {
		at = len(g.edges)
		g.index[[2]int{from, to}] = at
		g.edges = append(g.edges, figure.Edge{From: from, To: to})
	}
	g.edges[at].Labels = append(g.edges[at].Labels, token+":"+short(p))
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

// writeDOT writes the graph in the language of Graphviz.
func (g *graph) writeDOT(w io.Writer) error {
	fmt.Fprintf(w, "digraph %s {\n  rankdir=LR;\n  node [shape=circle];\n", strconv.Quote(g.name))
	for _, n := range g.nodes {
		label, style := n.label, ""
		if n.detail != "" {
			label += "\n" + n.detail
		}
		if n.transient {
			style = ", style=dashed"
		}
		fmt.Fprintf(w, "  %s [label=%s%s];\n", strconv.Quote(n.label), strconv.Quote(label), style)
	}
	for _, e := range g.edges {
		fmt.Fprintf(w, "  %s -> %s [label=%s];\n", strconv.Quote(g.nodes[e.From].label), strconv.Quote(g.nodes[e.To].label),
			strconv.Quote(strings.Join(e.Labels, "\n")))
	}
	_, err := fmt.Fprintln(w, "}")
	return err
}

// figure draws the graph: few nodes on a circle, many by their distance from the first.
func (g *graph) figure() *figure.Figure {
	const fewNodes = 9
	picture := figure.Graph{Edges: g.edges, Rings: len(g.nodes) > fewNodes}
	for _, n := range g.nodes {
		picture.Nodes = append(picture.Nodes, figure.Node{Label: n.label, Open: n.transient})
	}
	f := figure.Single(g.name, g.what, picture)
	f.Width = picture.NaturalWidth()
	return f
}
