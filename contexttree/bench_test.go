package contexttree

import (
	"fmt"
	"testing"

	"foretell/internal/random"
)

// Uniform symbols visit the most contexts.
func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct{ n, m, depth int }{{1e6, 2, 10}, {23160, 7, 10}, {1e7, 2, 10}} {
		b.Run(fmt.Sprintf("n=%d/m=%d/D=%d", c.n, c.m, c.depth), func(b *testing.B) {
			x := make([]int32, c.n)
			stream := random.New(1, "contexttree/bench")
			for i := range x {
				x[i] = int32(stream.IntN(c.m))
			}
			for b.Loop() {
				tree, err := New(Options{Alphabet: c.m, Depth: c.depth})
				if err != nil {
					b.Fatal(err)
				}
				if err := tree.Append(x); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
		})
	}
}

func BenchmarkNext(b *testing.B) {
	tree := learned(b, Options{Alphabet: 4, Depth: 10}, symbols(b, "gene_s"))
	next := make([]float64, 4)
	for b.Loop() {
		tree.Next(next)
	}
}

func BenchmarkBest(b *testing.B) {
	tree := learned(b, Options{Alphabet: 4, Depth: 10}, symbols(b, "gene_s"))
	for b.Loop() {
		tree.Best(1)
	}
}

// A sample and its entropy rate.
func BenchmarkSample(b *testing.B) {
	tree := learned(b, Options{Alphabet: 3, Depth: 5}, symbols(b, "pewee"))
	for i := uint64(0); b.Loop(); i++ {
		if _, err := tree.Sample(1, i).EntropyRate(); err != nil {
			b.Fatal(err)
		}
	}
}
