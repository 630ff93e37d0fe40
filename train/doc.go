// Package train trains a transformer on a process and compares it with the best possible
// prediction.
//
// A [Config] names the process, the model and the training options. A [Trainer] trains in
// memory: [Trainer.Step] draws a fresh batch, computes the gradient of the [Objective]
// and updates the weights; [Trainer.Train] takes all remaining steps; [Trainer.Evaluate]
// measures the distance from the optimal predictor. Package run gives a Trainer a folder
// that holds its configuration, metrics and checkpoints as plain files, and lets it be
// stopped at any moment and resumed. It does so with [Trainer.State] and
// [Trainer.Restore].
//
// # Reproducibility
//
// The weights after N steps depend on the configuration alone. Each sequence of each
// step is drawn from a random stream keyed by (seed, step, sequence). A batch is cut
// into a fixed number of shards, and the gradients of the shards are added in a fixed
// tree, whatever the number of workers. The state from which a run is resumed does not
// depend on a clock.
//
// # Metrics
//
// A loss is never shown alone, but always with the floor (the best possible loss at these
// positions), the chance level (the loss of the best constant prediction), and the share
// of the learnable gap that is closed, (chance − loss)/(chance − floor). See
// [Evaluation]. For signals, an [Accuracy] is reported with its ceiling.
package train
