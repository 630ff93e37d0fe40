package craft_test

import (
	"fmt"
	"strings"

	"foretell/craft"
	"foretell/model"
	"foretell/process"
)

// A one-head model, written by hand, that predicts the token three steps back.
func Example() {
	tokens, nCtx := []string{"a", "b", "c", "d"}, 10
	positions := craft.Numbered("position", nCtx)
	copied := craft.Numbered("copied", len(tokens))
	logits := make([]craft.Move, len(tokens))
	for z := range tokens {
		logits[z] = craft.Move{From: copied[z], To: tokens[z], Times: 20}
	}
	m, err := craft.Design{
		Tokens: tokens, Positions: positions, NCtx: nCtx,
		Blocks: []craft.Block{{Heads: []craft.Head{{
			Attend: craft.Offset(positions, 3), Move: craft.Copy(tokens, copied),
		}}}},
		Logits: logits,
	}.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	word := []int32{0, 2, 3, 1, 1, 0, 2, 2, 3, 0}
	all, _ := m.Logits(word)
	for i := 3; i < nCtx; i++ {
		p := model.Probabilities(all[i*len(tokens) : (i+1)*len(tokens)])[word[i-3]]
		fmt.Printf("after position %d: %s with probability %.6f\n", i, tokens[word[i-3]], p)
	}
	// Output:
	// after position 3: a with probability 1.000000
	// after position 4: c with probability 1.000000
	// after position 5: d with probability 1.000000
	// after position 6: b with probability 1.000000
	// after position 7: b with probability 1.000000
	// after position 8: a with probability 1.000000
	// after position 9: c with probability 1.000000
}

// The head printed in Gemini 2025 writes what it counts on top of the tokens' own
// embeddings.
func ExampleDesign_Build_interference() {
	_, err := craft.Design{
		Tokens: []string{"tails", "heads", "BOS"}, NCtx: 8,
		Blocks: []craft.Block{{Heads: []craft.Head{{
			Attend: craft.Uniform(), Move: []craft.Move{{"heads", "heads", 1}, {"tails", "tails", 1}},
		}}}},
	}.Build()
	fmt.Println(strings.ReplaceAll(err.Error(), ", ", ",\n"))
	// Output:
	// craft: direction "heads" is written to by the token embedding and by the attention of block 0,
	// so neither could be read alone; use a separate direction for one of them
}

// What a coin costs: neurons with one head, or heads alone.
func ExampleCoin() {
	for _, e := range []float64{1e-2, 1e-4, 1e-6} {
		coin := craft.Coin{A: 1, B: 1, NCtx: 1024, Error: e}
		mlp, err := coin.Transformer()
		if err != nil {
			fmt.Println(err)
			return
		}
		heads, err := coin.AttentionOnly()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("error %.0e: %d neurons, %d parameters; %d heads, %d parameters\n", e,
			mlp.Config.DMLP, mlp.Config.Parameters(), heads.Config.NHeads[0], heads.Config.Parameters())
	}
	// Output:
	// error 1e-02: 5 neurons, 121 parameters; 5 heads, 126 parameters
	// error 1e-04: 57 neurons, 693 parameters; 11 heads, 240 parameters
	// error 1e-06: 569 neurons, 6325 parameters; 23 heads, 468 parameters
}

// How many heads keep the transitions of a set of lags apart, and which offsets each
// attends to.
func ExampleFewestHeads() {
	for _, lags := range [][]int{{1, 2, 3}, {1, 3}, {1, 3, 4}, {1, 2, 6}} {
		p := craft.FewestHeads(lags)
		fmt.Printf("lags %v: %d heads, offsets %v, of the contiguous set %d\n", lags, p.Heads, p.Of, craft.Hull(lags).Heads)
	}
	// Output:
	// lags [1 2 3]: 3 heads, offsets [0 1 2], of the contiguous set 3
	// lags [1 3]: 2 heads, offsets [0 0 1 1], of the contiguous set 3
	// lags [1 3 4]: 4 heads, offsets [0 1 2 3], of the contiguous set 4
	// lags [1 2 6]: 3 heads, offsets [0 1 2], of the contiguous set 6
}

// A transformer that tells which of two lags a sequence has, with one head in its second
// layer.
func ExampleInduction() {
	chain, err := process.NewInterleaved([][]float64{{0.9, 0.1}, {0.2, 0.8}}, []int{2, 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := craft.Induction{Chain: chain, NCtx: 32, Heads: 1, Beta: 100, Lambda: 500}.Transformer()
	if err != nil {
		fmt.Println(err)
		return
	}
	word := []int32{0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0}
	logits, _ := m.Logits(word)
	fmt.Println("heads", m.Config.NHeads, "stream", m.Config.Width(3))
	fmt.Printf("next token: %.3f\n", model.Probabilities(logits[len(logits)-2:]))
	// Output:
	// heads [1 1 1] stream 272
	// next token: [0.900 0.100]
}

// Heads that look a fixed number of positions back, by sinusoidal positions: what they
// need and what they leave elsewhere.
func ExampleWaves() {
	const nCtx, offset = 64, 25
	w := craft.Waves{Kind: craft.Sinusoidal, Width: 64}
	slow := w.Slower(3.14159 / nCtx)
	for _, planes := range [][]int{{0}, {0, 1}, {0, 1, 2, 3}, {slow}, {slow, slow + 1}} {
		gap, at := w.Gap(planes, nCtx)
		turns := w.Peaked(planes, offset, nCtx, 1e-6)
		fmt.Printf("planes %v: nearest %d away, by %.2g; %.4g nats each leave %.1g elsewhere\n",
			planes, at, gap, turns[0].Nats, w.Elsewhere(turns, offset, nCtx))
	}
	// Output:
	// planes [0]: nearest 44 away, by 0.00016; 1651 nats each leave 1e-06 elsewhere
	// planes [0 1]: nearest 25 away, by 0.014; 1035 nats each leave 1e-06 elsewhere
	// planes [0 1 2 3]: nearest 1 away, by 0.97; 14.96 nats each leave 1e-06 elsewhere
	// planes [11]: nearest 1 away, by 0.00089; 1.632e+04 nats each leave 1e-06 elsewhere
	// planes [11 12]: nearest 1 away, by 0.0014; 1.045e+04 nats each leave 1e-06 elsewhere
}

// A stack in three layers: after “OPEN 7 OPEN 2 CLOSE 2 CLOSE” comes 7.
func ExampleBrackets() {
	m, err := craft.Brackets{Open: 0.1, Close: 0.1, Depth: 8, Tags: 30, NCtx: 64}.Transformer()
	if err != nil {
		fmt.Println(err)
		return
	}
	word := []int32{30, 7, 30, 2, 31, 2, 31}
	logits, _ := m.Logits(word)
	p := model.Probabilities(logits[6*32:])
	fmt.Printf("heads %v, neurons %d: 7 with probability %.6f\n", m.Config.NHeads, m.Config.DMLP, p[7])
	// Output:
	// heads [1 2 1], neurons 63: 7 with probability 1.000000
}
