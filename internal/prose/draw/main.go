// Draw prints comments and messages of the repository, drawn at random, to be read with
// fresh eyes: each should be understood at first reading.
//
//	go run ./internal/prose/draw [-count 200] [-seed 1]
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"foretell/internal/prose"
	"foretell/internal/random"
)

// fewestWords is the smallest number of words of a text that is drawn: shorter texts are
// names and labels.
const fewestWords = 4

func main() {
	count := flag.Int("count", 200, "number of texts")
	seed := flag.Uint64("seed", 1, "seed of the draw")
	flag.Parse()
	texts, err := prose.Tree(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "draw:", err)
		os.Exit(1)
	}
	texts = slices.DeleteFunc(texts, func(t prose.Text) bool {
		return t.Kind == prose.Document || len(strings.Fields(t.Whole)) < fewestWords
	})
	stream := random.New(*seed, "prose")
	for n := range min(*count, len(texts)) {
		other := n + stream.IntN(len(texts)-n)
		texts[n], texts[other] = texts[other], texts[n]
		t := texts[n]
		fmt.Printf("%3d %s:%d %s: %s\n", n+1, t.Path, t.Line, t.Kind, t.Whole)
	}
}
