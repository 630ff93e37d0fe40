package foretell

import _ "embed"

// Example is examples/mess3.yaml: a training configuration of one layer of attention on
// Mess3(0.15, 0.6), for [foretell/train.Parse].
//
//go:embed examples/mess3.yaml
var Example []byte
