package walk

// Erratum is a misprint or mistake in a source.
type Erratum struct {
	Where   string // the place in the source, described or quoted
	Printed string
	True    string
	Check   string // the calculation that shows the mistake
}

// ABCErrata lists the mistakes in the printed numbers and formulas of Virgilio 2025, in
// the order of the document. Three printed coordinates, 0.8829 of C_0, 0.4816 of C_1 and
// −1.3090 of C_2, are correct although their printed terms add up to 0.8828, 0.4817 and
// −1.3091: the terms were rounded after they were added.
var ABCErrata = []Erratum{
	{
		Where:   "the logits (log probabilities)",
		Printed: "logits are log probabilities",
		True:    "they are log probabilities up to a constant at each position, which the softmax removes",
		Check:   "at [1, 1] the logits are 0.7557, 2.3812 and −1.0356, whose exponentials add up to 13.3, not to 1",
	},
	{
		Where:   "the second row of A_out in the product A_out·x",
		Printed: "[1.1767 1.2405]",
		True:    "[1.1767 1.2045]",
		Check:   "the matrix A_out itself, just above it, has 1.2045: two digits have changed places",
	},
	{
		Where:   "the direction of C's prediction",
		Printed: "[−t, 1.75t]",
		True:    "[−t, −1.75t]",
		Check: "C's row of A_out is [−0.3778, −0.6578]; at [−1, 1.75] the logits are 2.7387, 0.9312 and −0.7734, " +
			"which predicts A, at [−1, −1.75] −1.7087, −3.2846 and 1.5290, which predicts C",
	},
	{
		Where:   "the sum for C_2",
		Printed: "C_2 = W_C + W_1",
		True:    "C_2 = W_C + W_2",
		Check:   "W_C + W_1 = [−1.4884, 2.6975], W_C + W_2 = [−1.3091, 2.3885], and [−1.3090, 2.3885] is printed",
	},
	{
		Where:   "We end up computing [CQ CK CV]",
		Printed: "[CQ CK CV]",
		True:    "[CQ + b_Q CK + b_K CV + b_V]",
		Check:   "the expanded formula is C·Aᵀ + b with a bias b of 6 numbers, 2 for each projection",
	},
}
