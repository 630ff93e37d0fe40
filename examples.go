package foretell

import "embed"

// Example is examples/mess3.yaml: a training configuration of one layer of attention on
// Mess3(0.15, 0.6), for [foretell/train.Parse].
//
//go:embed examples/mess3.yaml
var Example []byte

// Lessons has the files of docs/lessons and the figures in them, for [foretell/lesson].
//
//go:embed docs/lessons/*.md docs/lessons/*.svg docs/mess3.svg
var Lessons embed.FS
