package inspect

import (
	"slices"
	"testing"

	"foretell/describe"
	"foretell/process"
)

// What is no word of a model or of a process is answered by one that is.
func TestWordsThatCanOccur(t *testing.T) {
	coin, err := Open("craft:coin", process.Params{"n_ctx": 8.0})
	if err != nil {
		t.Fatal(err)
	}
	const example = "BOS,tails,heads"
	word, err := coin.ParseWord(example)
	if err != nil || !slices.Equal(word, []int32{2, 0, 1}) {
		t.Errorf("%v, %v", word, err)
	}
	if err := coin.CheckWord(word); err != nil {
		t.Error(err)
	}
	_, noToken := coin.ParseWord("x")
	_, none := coin.ParseWord("")
	_, noName := (describe.Subject{Process: coin.sampler}).ParseWord("x")
	for want, err := range map[string]error{
		`"x" at position 1 is not a token; write tokens as 2,0,1 or by their names, as ` + example: noToken,
		"0 tokens given; the model takes 1 to 8, such as BOS,tails":                                none,
		"coin: token 1 at position 1: want token 2 (BOS); a possible sequence is " + example:       coin.CheckWord([]int32{1}),
		"token 3 at position 1 is outside the alphabet [0, 2]":                                     coin.CheckWord([]int32{3}),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if noName == nil || noName.Error() != noToken.Error() {
		t.Errorf("%v, want %v", noName, noToken)
	}
}
