package paper

// ABC is seed 002, on a transformer whose every number is printed.
var ABC = Paper{
	Name:   "abc",
	Title:  "A tiny transformer that learned ABCABC…",
	Source: "seed 002, Walking Through a Tiny Transformer (Virgilio, 2025)",
	Rows: []Row{
		{
			ID: "A1", Source: "seed 002, first page",
			Statement: "One layer of one head, width 2, learns the pattern ABCABC… to a cross-entropy of 0.0001.",
			Expected: "cross-entropy, exact over all nine contexts of up to three tokens, ≤ 1e-4 within 2,000 steps of Adam at 0.03 for at least 95 of 100 seeds; " +
				"differs if for at least one, fails if for none",
			test: testABCIsLearned,
		},
		{
			ID: "A2", Source: "seed 002, the whole walk",
			Statement: "The forward pass can be followed by hand, number by number, to the logits.",
			Expected: "walks through 80 random small models of every architecture and through the seed's: every formula as written agrees with the model's own numbers, " +
				"and the contributions of the components add up to the winning logit to 1e-12 of their sizes",
			test: testWalk,
		},
		{
			ID: "A3", Source: "seed 002, W_A … W_2, C_0 … C_2, A_out",
			Statement: "The printed numbers follow from each other: C_0 = W_A + W_0, C_1 = W_B + W_1, C_2 = W_C + W_1.",
			Expected:  "each sum of printed terms within one in the last digit of the printed sum; corrected if a formula as written is not",
			test:      testPrintedNumbers,
		},
		{
			ID: "A4", Source: "seed 002, the three bullets about A_out",
			Statement: "With the printed A_out a vector near [−t, 2.5t] predicts A, one near [t, t] predicts B, one near [−t, 1.75t] predicts C.",
			Expected:  "each of the three directions lies in the region where its token has the greatest logit, for every t > 0; corrected if one does not",
			test:      testWinningDirections,
		},
	},
}
