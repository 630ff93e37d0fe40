// Mutant measures the sensitivity of tests: it changes one place of a package at a time
// (an operator swapped, a constant plus one, a condition negated, a statement dropped),
// and runs the package's own tests. A mutant survives if they pass. Capacities, and zeros
// returned with a new error, are never changed: nobody reads them.
//
//	go run ./internal/mutant [-count N] [-seed N] [-only TEXT] PACKAGE...
//
// With -only it draws from the mutants whose line of output contains TEXT, such as
// token/ranked.go:69.
//
// The draw depends only on the seed and the text of each function. The source tree is not
// modified: mutants are built with go test -overlay. Tests run one package at a time,
// first with -short and, if they pass, without -short. Their processor time is limited;
// an endless loop counts as killed.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

// known lists the mutants that change no result.
const known = "internal/mutant/equivalent.txt"

func main() {
	count := flag.Int("count", 100, "mutants of each package")
	seed := flag.Uint64("seed", 1, "seed of the draw")
	only := flag.String("only", "", "draw only mutants whose line of output, FILE:LINE: OLD → NEW, contains this `TEXT`")
	flag.Parse()
	if err := campaigns(os.Stdout, os.Stderr, flag.Args(), draw{*count, *seed, *only}); err != nil {
		fmt.Fprintln(os.Stderr, "mutant:", err)
		os.Exit(1)
	}
}

// draw selects the mutants of a package to try. In the random order given by seed, these
// are the first count mutants whose line of output contains the text in the field only.
type draw struct {
	count int
	seed  uint64
	only  string
}

// campaigns runs a campaign on each package, and writes a table and the survivors. It
// writes the outcome of each mutant to progress as soon as it is known.
func campaigns(out, progress io.Writer, packages []string, d draw) error {
	equivalent, err := readKnown(known)
	if err != nil {
		return err
	}
	var results []result
	for _, path := range packages {
		r, err := campaign(progress, path, equivalent, d)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		results = append(results, r)
		fmt.Fprintln(progress, r)
	}
	var all result
	for _, r := range results {
		for _, m := range r.survivors {
			fmt.Fprintf(out, "%s\n", m)
		}
		all.add(r)
	}
	fmt.Fprintf(out, "\n%-24s %6s %7s %9s %11s %6s\n", "package", "drawn", "killed", "survived", "equivalent", "share")
	for _, r := range append(results, all) {
		fmt.Fprintln(out, r)
	}
	return nil
}
