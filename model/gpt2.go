package model

import "foretell/internal/strict"

// GPT2Size has the fields that distinguish the four models of Radford et al. 2019.
type GPT2Size struct {
	Name                    string // the argument of [GPT2]
	NLayers, NHeads, DModel int
}

// GPT2Sizes lists the four sizes, the smallest first.
var GPT2Sizes = []GPT2Size{
	{"small", 12, 12, 768},
	{"medium", 24, 16, 1024},
	{"large", 36, 20, 1280},
	{"xl", 48, 25, 1600},
}

// The fields that all sizes share.
const (
	gpt2Context    = 1024
	gpt2Vocabulary = 50257 // 256 bytes, 50,000 merges, and the end-of-text token
	gpt2Init       = 0.02
)

// GPT2 returns the resolved configuration of one of [GPT2Sizes] by its name, which is
// small, medium, large or xl (124,439,808, 354,823,168, 774,030,080 and 1,557,611,200
// parameters). The model has pre-LN blocks, GELU in its tanh form, learned positions, and
// an output tied to the embedding. An unknown name is an error. [Config.Parameters]
// counts the parameters without allocating them.
func GPT2(name string) (Config, error) {
	var names []string
	for _, s := range GPT2Sizes {
		if s.Name == name {
			return s.config().Resolve()
		}
		names = append(names, s.Name)
	}
	return Config{}, strict.Fieldf("GPT-2", "%s", strict.NotOneOf(name, names))
}

func (s GPT2Size) config() Config {
	return Config{
		DModel: s.DModel, NLayers: s.NLayers, NHeads: Heads{s.NHeads}, NCtx: gpt2Context, DVocab: gpt2Vocabulary,
		ActFn: "gelu_new", TieUnembed: true, InitializerRange: gpt2Init,
	}
}
