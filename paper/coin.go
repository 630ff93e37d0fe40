package paper

// Coin is seed 000, on transformers that count coin flips.
var Coin = Paper{
	Name:   "coin",
	Title:  "Bayesian coin flips in a transformer",
	Source: "seed 000",
	Rows: []Row{
		{
			ID: "C6", Source: "seed 000; beyond: trained instead of written",
			Statement: "A transformer trained by gradient descent on flips of coins drawn from a Beta prior predicts as the posterior does.",
			Expected: "for each of three priors: mean divergence from (a+H)/(a+b+N) over N = 0 … 64 flips after BOS, the contexts that it was trained on, at most 1e-3 nats without positions; " +
				"differs if at most 1e-2; what remains of it at two and four times the length is reported for each kind of positional embedding, and decides nothing",
			test: testTrainedCoin,
		},
	},
}
