package probe_test

import (
	"context"
	"fmt"
	"log"

	"foretell/model"
	"foretell/probe"
	"foretell/process"
)

// untrained returns a small transformer as it is initialised, and the process Mess3.
func untrained() (*model.Transformer[float32], process.Process) {
	m, err := model.New[float32](model.Config{
		DModel: 16, NLayers: 1, NHeads: model.Heads{1}, NCtx: 6, DVocab: 3, InitializerRange: 0.02,
	}, 1)
	if err != nil {
		log.Fatal(err)
	}
	mess3, err := process.Mess3(0.15, 0.6)
	if err != nil {
		log.Fatal(err)
	}
	return m, mess3
}

// What an untrained model's stages tell of the belief, beside what the last tokens
// tell: without controls, an R² of 0.93 might pass for something.
func ExampleExamine() {
	m, mess3 := untrained()
	var beliefs probe.Question // the zero value
	words, err := beliefs.Words(context.Background(), mess3, 6)
	if err != nil {
		log.Fatal(err)
	}
	report, err := probe.Examine(context.Background(), probe.Subject{Model: m, Seed: 2}, words, beliefs)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Convention)
	for _, s := range report.Stages {
		fmt.Printf("%s: R² %.2f, another initialisation %.2f, shuffled %.2f\n", s.Stage, s.R2, s.Random, s.Shuffled)
	}
	for _, s := range report.Controls {
		fmt.Printf("%s: R² %.2f\n", s.Features, s.R2)
	}
	// Output:
	// held out by sequence, weighted by probability, all positions together, cut-off by cross-validation
	// blocks.0.hook_resid_pre: R² 0.81, another initialisation 0.81, shuffled 0.15
	// blocks.0.hook_resid_mid: R² 0.94, another initialisation 0.95, shuffled 0.22
	// blocks.0.hook_resid_post: R² 0.93, another initialisation 0.92, shuffled 0.22
	// next token: R² 1.00
	// last 1 token: R² 0.81
	// last 2 tokens: R² 0.97
	// last 3 tokens: R² 0.99
}

// How well an untrained model's stages tell the belief, without holding their
// activations.
func ExampleAnalyze() {
	m, mess3 := untrained()
	words, err := process.Words(context.Background(), mess3, 6)
	if err != nil {
		log.Fatal(err)
	}
	stages := probe.Stages("blocks.0.hook_resid_pre", "blocks.0.hook_resid_post")
	plan := probe.Plan{Features: append(stages, probe.MarkovFeatures(words, 2)), Targets: []probe.Target{probe.Beliefs}}
	a, err := probe.Analyze(context.Background(), m, words, plan)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range plan.Features {
		fmt.Printf("%s: R² %.2f\n", f.Name, a.Regress(probe.Beliefs, f).R2)
	}
	// Output:
	// blocks.0.hook_resid_pre: R² 0.81
	// blocks.0.hook_resid_post: R² 0.93
	// last 2 tokens: R² 0.97
}

// The same rows under two conventions, and what is read from a word.
func ExampleAnalysis_Under() {
	m, mess3 := untrained()
	ctx := context.Background()
	words, err := process.Words(ctx, mess3, 6)
	if err != nil {
		log.Fatal(err)
	}
	last := probe.Stage("blocks.0.hook_resid_post")
	bySequence, err := probe.Analyze(ctx, m, words, probe.Plan{
		Features: []probe.Features{last}, Targets: []probe.Target{probe.Beliefs}, Keep: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	byWord, err := bySequence.Under(ctx, probe.Convention{HoldOut: probe.ByWord})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("held out by sequence %.2f, by word %.2f\n",
		bySequence.Regress(probe.Beliefs, last).R2, byWord.Regress(probe.Beliefs, last).R2)
	read, err := bySequence.Predict(ctx, probe.Beliefs, last)
	if err != nil {
		log.Fatal(err)
	}
	row := words.Row([]int32{0, 1, 2})
	fmt.Printf("after 0 1 2: belief %.2f, read %.2f\n", words.Belief(row), read.Row(row))
	// Output:
	// held out by sequence 0.93, by word 0.76
	// after 0 1 2: belief [0.22 0.29 0.49], read [0.26 0.22 0.52]
}
