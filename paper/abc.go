package paper

// ABC is seed 002, Walking Through a Tiny Transformer (Virgilio, 2025).
var ABC = Paper{
	Name:   "abc",
	Title:  "A tiny transformer that learned ABCABC…",
	Source: "seed 002",
	Rows: []Row{
		{
			ID: "A1", Source: "seed 002, first page",
			Statement: "One layer of one head, width 2, learns the pattern ABCABC… to a cross-entropy of 0.0001.",
			Expected: "cross-entropy, exact over all nine contexts of up to three tokens, ≤ 1e-4 within 2,000 steps of Adam at 0.03 for at least 95 of 100 seeds; " +
				"differs if for at least one, fails if for none",
			test: testABCIsLearned,
		},
		{
			ID: "A4", Source: "seed 002, the three bullets about A_out",
			Statement: "With the printed A_out a vector near [−t, 2.5t] predicts A, one near [t, t] predicts B, one near [−t, 1.75t] predicts C.",
			Expected:  "each of the three directions lies in the region where its token has the greatest logit, for every t > 0; corrected if one does not",
			test:      testWinningDirections,
		},
	},
}
