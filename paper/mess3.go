package paper

// Mess3 is seed 001, on one layer of attention that updates beliefs.
var Mess3 = Paper{
	Name:    "mess3",
	Title:   "Constrained belief updates in transformers trained on Mess3",
	Source:  "seed 001, Constrained Belief Updates Explain Geometric Structures in Transformer Representations (Piotrowski, Riechers, Filan and Shai, ICML 2025)",
	setting: func(p Profile) string { return p.Setting },
	Rows: []Row{
		{
			ID: "M1", Source: "seed 001, Fig. 1B, Eq. 2 and 25",
			Statement: "Bayes' rule embeds each word in the simplex over the hidden states; all words together form a fractal.",
			Expected:  "the recursion of Eq. 24 and the matrix products of Eq. 25 agree to 1e-12 for every word; the fractal is drawn from all prefixes",
			test:      testBeliefGeometry,
		},
		{
			ID: "M3", Source: "seed 001, Eq. 5, 7, 26 and 27",
			Statement: "The constrained belief is a sum of independent corrections (Eq. 5 = Eq. 26 = Eq. 27), and Eq. 7 is its spectral form.",
			Expected:  "all forms equal to 1e-12 for every word",
			test:      testConstrainedGeometry,
		},
		{
			ID: "M2", Source: "seed 001, Fig. 1D and 4",
			Statement: "A PCA of the final residual stream shows the belief geometry; the one after attention shows another fractal, the constrained geometry.",
			Expected: "in all four conditions, held out by sequence and weighted by probability: R² of the final residual against beliefs ≥ 0.99, " +
				"of the intermediate one against constrained beliefs ≥ 0.95, both above the random initialisation, " +
				"and the intermediate one nearer to the constrained beliefs than to the full ones; differs if R² ≥ 0.9 and 0.8",
			conditions: mess3Conditions, test: testFractals,
		},
		{
			ID: "M6", Source: "seed 001, Fig. 2C, Eq. 13",
			Statement: "Attention falls as (1−3x)ⁿ with distance n, whatever the tokens.",
			Expected: "x = 0.15: the slope of log A against distance, one intercept a source (Eq. 13), within 10 % of log ζ = log(1−3x), " +
				"and the standard deviation of A over words at most 20 % of its mean; differs if within 30 %",
			conditions: singleHeadConditions, test: testAttentionDecay,
		},
		{
			ID: "M4", Source: "seed 001, Fig. 2A and 2B, Eq. 14",
			Statement: "OV vectors have one direction a token, and a length proportional to 1/A(m+1, m).",
			Expected: "x = 0.15, the part that depends on the token: for every (position, token), measured against predicted by Eq. 14: cosine ≥ 0.95, " +
				"and the median ratio of lengths within 20 % of 1; differs if the median cosine is ≥ 0.9",
			conditions: singleHeadConditions, test: testOVVectors,
		},
		{
			ID: "M5", Source: "seed 001, Fig. 2B and A2, Eq. 15",
			Statement: "Embeddings are parallel to OV vectors, with the scale of Eq. 15, except that at the first two positions the predicted sign is not the observed one.",
			Expected: "x = 0.15, the part that depends on the token: |cosine| of embedding and OV vector ≥ 0.95 for every (position, token); " +
				"at positions 3–9 the scale within 0.2 of Eq. 15 in the mean; at positions 1 and 2 measured and predicted scale have opposite signs; " +
				"differs if the median |cosine| is ≥ 0.9",
			conditions: singleHeadConditions, test: testEmbeddings,
		},
		{
			ID: "M7", Source: "seed 001, Fig. 2D",
			Statement: "Attention builds the representation of a word as a sum of its tokens' OV vectors, weighted by attention: shown for 01120.",
			Expected: "for each of the five prefixes the sum equals the model's representation to 1e-4, and this lies within 10 % of the geometry's spread " +
				"from the constrained belief; differs if within 30 %",
			conditions: sumConditions, test: testSums,
		},
		{
			ID: "M8", Source: "seed 001, Fig. 3, Eq. 16–20",
			Statement: "For x > 1/3 two heads share the even and the odd lags, with opposed OV vectors, and together make ζⁿ.",
			Expected: "x = 0.5: median cosine of the two heads' OV vectors ≤ −0.9; the signed combined pattern within 20 % of ζⁿ (root of summed squares over d > s); " +
				"at least 75 % of the positive head's attention to earlier positions at even lags, at most 25 % of the negative head's; " +
				"differs if the combined pattern is within 40 %",
			conditions: twoHeadConditions, test: testTwoHeads,
		},
		{
			ID: "M12", Source: "seed 001, Fig. A8",
			Statement:  "At x = 0.5 one head fails to capture the geometry, and two succeed.",
			Expected:   "over three seeds the mean KL to the optimum is at least 3 times lower with two heads than with one, and lower at every seed; differs if the mean is lower at all",
			conditions: oneOrTwoConditions, test: testOneHeadFails,
		},
		{
			ID: "M9", Source: "seed 001, Fig. A3 and A4",
			Statement:  "Both fits, constrained at the intermediate and full at the final stage, improve in training and end orders of magnitude below the random initialisation.",
			Expected:   "in all four conditions the held-out MSE of both fits ends at most a hundredth of the random initialisation's; differs if each ends below it",
			conditions: trainingConditions, test: testTraining,
		},
		{
			ID: "M10", Source: "seed 001, Fig. A5 and A6",
			Statement: "In four layers the stage after the first attention fits the constrained beliefs better than the full ones, and every later stage the full ones.",
			Expected: "in all four conditions, by held-out MSE: the constrained geometry below the full one at L0 mid, above it at each later stage, and the better one below a random initialisation; " +
				"differs if this is so at L0 mid and at the last stage",
			conditions: deepConditions, test: testLayers,
		},
		{
			ID: "M11", Source: "seed 001, Fig. A7",
			Statement: "One layer with two heads is enough for a low KL divergence across (x, α).",
			Expected: "in all four conditions, in the mean over three seeds, one layer with two heads misses at most 10 % of what words tell of the next token, has at most twice the KL of the best architecture, " +
				"and for x = 0.5 less than one head; differs if this is so for α = 0.6 alone",
			conditions: gridConditions, test: testArchitectures,
		},
		{
			ID: "M13", Source: "seed 001, Table 1",
			Statement:  "The residual stream has few dimensions: cumulative explained variance of 7 components, intermediate and final, 4 conditions.",
			Expected:   "each of the 56 cells within 0.05 of the printed one; differs otherwise, fails if the mean difference exceeds 0.2",
			conditions: mess3Conditions, test: testExplainedVariance,
		},
		{
			ID: "M14", Source: "seed 001, Sec. 4.3",
			Statement: "The constrained geometry matches the intermediate stage for α in [0.2, 0.6]; further out the deviation grows gradually.",
			Expected: "x = 0.15, in the mean over three seeds, 1 − R² of the constrained beliefs on the intermediate stage, held out: at most 0.05 at every α trained in [0.2, 0.6], more at every α outside than at any inside, and growing with the distance on either side; " +
				"differs if only the first is so",
			conditions: alphaConditions, test: testAlpha,
		},
		{
			ID: "M15", Source: "beyond seed 001 (its Sec. 4.4 for any process)",
			Statement: "For processes with a negative, a complex and two distinct real eigenvalues, one layer needs the number of heads that the spectrum of T asks for, and with them builds the constrained beliefs.",
			Expected: "for each of the three, in the mean over three seeds: KL with one head fewer at least twice that with the number asked for; with that number R² of the constrained beliefs on the intermediate stage ≥ 0.95 and above both one head fewer and the random initialisation; " +
				"and the heads' attention combines to the profiles λⁿ within 20 %, nearer than with one head fewer; differs if KL is lower with the number asked for in all three",
			conditions: beyondConditions, test: testBeyond,
		},
	},
}

// Papers lists what can be reproduced.
var Papers = []Paper{Mess3, Coin, ABC, Beliefs}

// The four (x, α) of the paper's figures. One head suffices for x < 1/3; beyond,
// ζ = 1−3x is negative and the paper uses two.
func mess3Conditions(p Profile) []condition {
	var list []condition
	for _, x := range []float64{0.15, 0.5} {
		for _, a := range []float64{0.2, 0.6} {
			for _, norm := range p.Norms {
				list = append(list, newCondition(p, x, a, norm))
			}
		}
	}
	return list
}

// singleHeadConditions are those of Fig. 2, where one head carries the decay.
func singleHeadConditions(p Profile) []condition {
	var list []condition
	for _, c := range mess3Conditions(p) {
		if c.Heads == 1 {
			list = append(list, c)
		}
	}
	return list
}
