// Package train trains a transformer on a process, beside the process's answer
// key.
//
// A [Config] names the process, the model and the training. A [Trainer] is the
// machinery in memory: [Trainer.Step] draws a fresh batch, computes the gradient of
// what the [Objective] asks for and updates the weights, [Trainer.Train] takes all
// steps that are left; [Trainer.Evaluate] measures the distance from the optimal
// predictor. Package run gives a Trainer a folder, where its configuration, metrics and
// checkpoints live as plain files, and where it can be stopped at any moment and
// resumed; [Trainer.State] and [Trainer.Restore] are what it needs for that.
//
// # The same bits
//
// The weights after N steps depend on the configuration alone. Each sequence
// of each step is drawn from a stream keyed by (seed, step, sequence). A batch
// is cut into a fixed number of shards whose gradients are added in a fixed
// tree, whatever the number of workers. And nothing that a resumed run
// continues from is measured by a clock.
//
// # What is reported
//
// A loss is never shown alone. Beside it stand the floor (the best possible
// loss at these positions), the chance level, and the share of the learnable
// gap that is closed, (chance − loss)/(chance − floor). See [Evaluation]. Of signals
// an [Accuracy] is reported with its ceiling.
package train
