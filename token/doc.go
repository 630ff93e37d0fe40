// Package token makes tokens of signals and signals of tokens.
//
// A [Quantizer] maps a block of samples to tokens and back, as it was fitted on training
// samples. Its rate is in bits a sample ([Rate]), its distortion a mean squared error
// ([Distortion]). [Tokenizers] is the table of all kinds, each with its parameters, and
// [Fit] makes one by name:
//
//	q, err := token.Fit("uniform", token.Params{"levels": 32}, train)
//	tokens, err := q.Encode(nil, x)
//	back, err := q.Decode(nil, tokens)
//
// What holds for every one of them: encode∘decode∘encode = encode, but for learned ones;
// tokens are those of Levels; scalar ones are monotone; the same samples, parameters and
// seed give the same tokens on every architecture; and what cannot be encoded, decoded or
// fitted is an error of one line, after which dst is as it was. A quantiser does not
// change once it is made, so many goroutines may use it.
//
// Scalar quantisers can also be made for a known density, without samples ([LloydMax],
// [HighRate]), and their distortion be integrated ([Density.Distortion]).
//
// Events (a threshold crossed, a peak, an onset) do not come sample by sample. They have
// an interface of their own, [Detector], and [EventCode] writes them as tokens.
//
// Text has tokens of its own: [BPE] is GPT-2's byte-pair encoding, read from the files of
// a model ([LoadBPE]) or learned from a text ([TrainBPE]).
//
// The names that Fit knows, each with its parameters as they are by default:
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
