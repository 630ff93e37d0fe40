package signals

import (
	"math/rand/v2"
	"slices"

	"foretell/claim"
	"foretell/document"
	"foretell/process"
)

const (
	// sparseEvery is the number of tokens from one retrieval step to the next in the
	// switching delay with much background, and sparseKey the probability of a key.
	sparseEvery, sparseKey = 6, 0.02
	// delayValues is the number of values of the switching delay; larger tokens are keys.
	delayValues = 28
	// sharedSequences is the number of sequences of readLength tokens in which shares are
	// counted.
	sharedSequences = 4000
)

// delayShares holds the shares of tokens of a switching delay.
type delayShares struct {
	name string
	// The shares of keys and of retrieval steps in a long sequence, and the share of
	// retrieval steps on tokens 2 … 65 of sequences.
	keys, longRun, first float64
	// The share of retrieval steps, in the long sequence, that the best guess from the last
	// token has.
	guess float64
}

// background returns the share of tokens that are not retrieval steps, in a long
// sequence.
func (s delayShares) background() float64 { return 1 - s.longRun }

// sampler fills tokens with the beginning of a sequence. It returns which of them are
// retrieval steps.
type sampler func(tokens []int32, src rand.Source) ([]bool, error)

// measureDelays returns the shares of the switching delay on which models are trained,
// and of one with the lecture's share of background.
func measureDelays() ([]delayShares, error) {
	p, err := switching.process()
	if err != nil {
		return nil, err
	}
	dense := func(tokens []int32, src rand.Source) ([]bool, error) {
		p.Sample(tokens, src)
		return p.(*process.Symbolic).Retrievals(tokens)
	}
	var list []delayShares
	for _, of := range []struct {
		name   string
		sample sampler
	}{{"rule at every token (the models' signal)", dense}, {"rule at every sixth token", sparseDelay}} {
		s, err := sharesOf(of.sample)
		if err != nil {
			return nil, err
		}
		s.name = of.name
		list = append(list, s)
	}
	return list, nil
}

// sparseDelay samples a switching delay with the lecture's share of background. Every
// sixth token is computed by the slide's rule, if the rule can be applied; keys come as
// in the models' signal; all other tokens are the numbers 0 … 27 in turn from a random
// start, like the background of Signals 4 and 5.
func sparseDelay(tokens []int32, src rand.Source) ([]bool, error) {
	draw := rand.New(src)
	marks, next := make([]bool, len(tokens)), draw.Int32N(delayValues)
	for n := range tokens {
		if n == 0 || draw.Float64() < sparseKey {
			tokens[n] = delayValues + draw.Int32N(4)
			continue
		}
		if n%sparseEvery == 0 {
			if tokens[n], marks[n] = readDelay(tokens[:n]); marks[n] {
				continue
			}
		}
		tokens[n], next = next, (next+1)%delayValues
	}
	return marks, nil
}

// sharesOf counts the tokens of a switching delay.
func sharesOf(sample sampler) (s delayShares, err error) {
	const length = 200_000
	tokens := make([]int32, length)
	marks, err := sample(tokens, rand.NewPCG(4, 5))
	if err != nil {
		return s, err
	}
	s.longRun = float64(trues(marks)) / length
	follows := map[int32][]float64{}
	for n, z := range tokens {
		if z >= delayValues {
			s.keys += 1. / length
		}
		if marks[n] {
			last := tokens[n-1]
			if follows[last] == nil {
				follows[last] = make([]float64, delayValues)
			}
			follows[last][z]++
		}
	}
	s.guess = mostLikely(follows) / float64(trues(marks))
	src, steps := rand.NewPCG(6, 7), 0
	for range sharedSequences {
		if marks, err = sample(tokens[:readLength], src); err != nil {
			return s, err
		}
		steps += trues(marks[1:])
	}
	s.first = float64(steps) / (sharedSequences * (readLength - 1))
	return s, nil
}

// delayTable returns the shares, with one row for each signal.
func (m generated) delayTable() document.Frame {
	f := document.Frame{
		Title: "two switching delays, in per cent of their tokens; the lecture has about 85 % background",
		Columns: append(document.Headed("", "signal"), document.Headed("%.1f", "keys", "background", "retrieval steps",
			"retrieval steps, tokens 2 … 65", "retrieval steps guessed from the last token")...),
	}
	for _, s := range m.delays {
		f.Row(s.name, 100*s.keys, 100*s.background(), 100*s.longRun, 100*s.first, 100*s.guess)
	}
	return f
}

// hasBackground reports whether a share of background is about the lecture's.
func hasBackground(share float64) claim.Answer {
	return claim.AnswerIf(share >= background-backgroundSlack && share <= background+backgroundSlack)
}

// mostLikely returns the number of tokens that are guessed by the most frequent follower
// of each token.
func mostLikely(follows map[int32][]float64) (hits float64) {
	for _, counts := range follows {
		hits += slices.Max(counts)
	}
	return hits
}
