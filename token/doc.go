// Package token converts signals to tokens and tokens to signals.
//
// A [Quantizer] maps blocks of samples to tokens and back. It is fitted on training
// samples. Its rate is in bits per sample ([Rate]), and its distortion is a mean squared
// error ([Distortion]). [Tokenizers] is the table of all kinds with their parameters, and
// [Fit] makes a quantiser by name:
//
//	q, err := token.Fit("uniform", token.Params{"levels": 32}, train)
//	tokens, err := q.Encode(nil, x)
//	back, err := q.Decode(nil, tokens)
//
// All quantisers have these properties. Encode∘Decode∘Encode = Encode, except for learned
// ones. Each token is within its alphabet (Levels). Scalar quantisers are monotone. The
// same samples, parameters and seed give the same tokens on every architecture. For input
// that cannot be encoded, decoded or fitted, a method returns a one-line error, and its
// argument dst unchanged. A quantiser does not change after it is made, so any number of
// goroutines may share it.
//
// Scalar quantisers can also be made for a known density, without samples ([LloydMax],
// [HighRate], [EntropyCoded]), and their distortion and entropy can be integrated
// ([Density.Distortion], [Density.Entropy]).
//
// Events (a threshold crossing, a peak, an onset) do not occur at every sample. They have
// their own interface, [Detector], and [EventCode] writes them as tokens.
//
// [Names] writes and parses sequences of tokens as people do; [Likeliest] finds the
// tokens that hold a share of a distribution.
//
// For text, [BPE] is GPT-2's byte-pair encoding, read from the files of a model
// ([LoadBPE]) or learned from a text ([TrainBPE]).
//
// The names that Fit accepts, each with its parameters and their defaults:
//
//	uniform     levels=32 clip=0
//	mu_law      levels=256 mu=255
//	a_law       levels=256 a=87.6
//	lloyd_max   levels=32 tolerance=1e-06
//	optimal     levels=32
//	high_rate   levels=32
//	vector      block=2 codewords=64 seed=1
//	product     block=4 parts=2 codewords=64 seed=1
//	window      window=64 means=32 scales=16 levels=16
//	dft         block=16 bits=32
//	dct         block=16 bits=32
//	haar        block=16 bits=32
//	daubechies4 block=16 bits=32
//	learned     block=16 codes=4 codewords=16 steps=2000 seed=1
//
// The kinds follow the list of EE269 2026, “Alternative Tokenization Methods”.
package token
