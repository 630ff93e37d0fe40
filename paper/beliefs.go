package paper

// Beliefs goes beyond the seeds: what Shai et al. read from activations, with
// controls, and whether a model uses what is read.
var Beliefs = Paper{
	Name:   "beliefs",
	Title:  "Beliefs in the residual stream: spread over layers, and used",
	Source: "Transformers Represent Belief State Geometry in their Residual Stream (Shai, Marzen, Teixeira, Gietelink Oldenziel and Riechers, NeurIPS 2024), and beyond",
	Rows: []Row{
		{
			ID: "B1", Source: "beyond the seeds; Shai et al., 2024, on RRXOR",
			Statement: "Where different beliefs predict the same next token, as in RRXOR, beliefs are spread over layers: all stages of the residual stream side by side tell more of them than the last one.",
			Expected: "four layers, in the mean over three seeds, with sequences held out and again with words held out: R² of the beliefs from all stages side by side above that from the last stage, this above that from the optimal next-token distribution, " +
				"and each of the two above random initialisation, shuffled targets and the last three tokens; differs if this is so with sequences held out alone",
			conditions: rrxorConditions, test: testBeliefsByLayer,
		},
		{
			ID: "B2", Source: "beyond the seeds: an intervention",
			Statement: "The model predicts from the belief that a regression reads: an activation moved until it reads another belief makes the model predict as that belief does.",
			Expected: "RRXOR and Mess3(0.15, 0.6), in the mean over three seeds, the last stage moved the likeliest way: divergence from the optimal prediction of the target belief at most a quarter of that without the change, " +
				"and at most half of that after as long a change in a random direction; differs if it is below both",
			conditions: steeredConditions, test: testSteering,
		},
	},
}

// rrxorConditions are models of RRXOR with four layers of one head, for each seed.
func rrxorConditions(p Profile) []condition {
	var list []condition
	for _, seed := range p.Seeds {
		list = append(list, condition{source: source{name: rrxor.name}, Shape: Shape{Layers: 4, Heads: 1}, norm: p.Norms[0], seed: seed, training: p.RRXOR})
	}
	return list
}

// steeredConditions are those, and models of one layer of Mess3(0.15, 0.6).
func steeredConditions(p Profile) []condition {
	list := rrxorConditions(p)
	for _, seed := range p.Seeds {
		c := newCondition(p, 0.15, 0.6, p.Norms[0])
		c.seed = seed
		list = append(list, c)
	}
	return list
}

// residualStageNames names them.
func (c condition) residualStageNames() []string {
	names := []string{"embedding"}
	for i := range c.hooks() {
		names = append(names, stageName(i))
	}
	return names
}
