package paper

// Coin is seed 000, on transformers that count coin flips.
var Coin = Paper{
	Name:   "coin",
	Title:  "Bayesian coin flips in a transformer",
	Source: "seed 000, A Mathematical Construction of a Transformer for Bayesian Coin Flip Prediction (Gemini, 2025)",
	Rows: []Row{
		{
			ID: "C1", Source: "seed 000, Eq. 3–13",
			Statement: "With the printed embeddings, positions and head, the head's output after N flips is (H·e_H + T·e_T)/(N+1).",
			Expected:  "equal to 1e-12 after every sequence of up to 12 flips, and at every position of 20 sampled sequences of 1023",
			test:      testPrintedHead,
		},
		{
			ID: "C2", Source: "seed 000, Eq. 14–15 and the bullets after them",
			Statement: "The residual stream then carries N on e_N, H/(N+1) on e_H and T/(N+1) on e_T.",
			Expected:  "each bullet within 1e-12 after every sequence of up to 12 flips; corrected if one does not hold and Eq. 15 with the last token's own embedding does",
			test:      testPrintedBullets,
		},
		{
			ID: "C3", Source: "seed 000, Sec. 7.1",
			Statement: "Method 1: pairs of neurons that indicate a count and a lookup table give log(1+H) and log(1+T), and with them the posterior predictive.",
			Expected: "the printed pair is 1 at its count and 0 at others to 1e-12, and the table's predictions are within 1e-6 for all H, T ≤ 63 on the seed's simplified input; " +
				"corrected if the printed one fails and the corrected one does it",
			test: testTableMethod,
		},
		{
			ID: "C4", Source: "seed 000, Sec. 7.2",
			Statement: "Method 2: ramps approximate log(1+x) with fewer parameters, and may generalise beyond the context.",
			Expected: "with at most a quarter of the neurons of method 1's table for 0 … 1023, an error of at most 0.01 inside, and at 2047 an error less than the table's; " +
				"corrected if the ramps as printed do not and corrected ones do; fails otherwise",
			test: testRampMethod,
		},
		{
			ID: "C5", Source: "seed 000, the whole; beyond: end to end",
			Statement: "A transformer of the ordinary forward pass, tokens in and probabilities out, predicts as the posterior does.",
			Expected: "for the priors Beta(1, 1), Beta(0.5, 0.5) and Beta(2, 5), after every count of heads and tails with H + T ≤ 1023: probability of heads within 1e-6 of (a+H)/(a+b+N); " +
				"20 shuffles of each of 20 sampled sequences change it by at most 1e-12",
			test: testExactCoin,
		},
		{
			ID: "C6", Source: "seed 000; beyond: trained instead of written",
			Statement: "A transformer trained by gradient descent on flips of coins drawn from a Beta prior predicts as the posterior does.",
			Expected: "for each of three priors: mean divergence from (a+H)/(a+b+N) over N = 0 … 64 flips after BOS, the contexts that it was trained on, at most 1e-3 nats without positions; " +
				"differs if at most 1e-2; what remains of it at two and four times the length is reported for each kind of positional embedding, and decides nothing",
			test: testTrainedCoin,
		},
	},
}
