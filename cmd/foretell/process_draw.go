package main

import (
	"errors"
	"fmt"

	"foretell/figure"
	"foretell/inspect"
	"foretell/process"

	"github.com/spf13/cobra"
)

// drawProcess writes a picture of a process, or a graph of it in Graphviz's language.
func drawProcess(cmd *cobra.Command, p process.Process, format, what string) error {
	var f *figure.Figure
	var err error
	switch what {
	case "geometry":
		f, err = inspect.Geometry(p)
	case "attention":
		f, err = inspect.Attention(p)
	default:
		var g *inspect.Graph
		if g, err = graphOf(p, what); err != nil {
			break
		}
		if format == "dot" {
			return g.DOT(cmd.OutOrStdout())
		}
		if f, err = g.Figure(); err != nil {
			err = fmt.Errorf("%w; give --format dot", err)
		}
	}
	if err != nil {
		return commandCannot(cmd, err)
	}
	return writeFigure(cmd, f)
}

// writeFigure writes a picture to stdout.
func writeFigure(cmd *cobra.Command, f *figure.Figure) error {
	picture, err := f.SVG()
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(picture)
	return err
}

// graphOf is the graph of the states or of the beliefs.
func graphOf(p process.Process, what string) (*inspect.Graph, error) {
	if what == "states" {
		return inspect.StateGraph(p)
	}
	g, err := inspect.BeliefGraph(p)
	if err != nil && !errors.Is(err, inspect.ErrNoHMM) {
		err = fmt.Errorf("--graph beliefs: %w; --graph geometry draws them without a graph", err)
	}
	return g, err
}
