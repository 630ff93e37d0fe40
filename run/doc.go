// Package run trains in a folder of plain files, so that training survives a kill.
//
// Most callers want [Ensure]: it trains the model of a configuration, resumes a run that
// was stopped, or reads a run that is complete, and returns the model; the bits are the
// same in each case. [Create] and [Resume] are its parts. [Open] reads the model of a
// run, of one of its checkpoints, or of a folder from another program. [Metrics] reads
// the evaluations, [Snapshot] the weights at a requested step. [List] finds the runs
// below a folder, and [Check] verifies a run. All state is in the folder; there is no
// separate index. See [Run] for its files.
//
// To train on a process made by Go code, such as your own signal from
// [process.NewSignal], set [Options.ByCode]. The configuration then names no process: a
// configuration file has only the sections model: and train:, and [train.ParseOn] reads
// it for that process:
//
//	tide, err := process.NewSignal("tide", samples, 32)
//	text, err := os.ReadFile("tide.yaml")
//	c, err := train.ParseOn(tide, "tide.yaml", text) // or a train.Config in Go
//	trained, err := run.Ensure(ctx, "runs/tide", c, run.Options{ByCode: tide})
//	logits, err := trained.Model.Logits(tide.Record()[:c.Model.NCtx])
//
// [Ensure] explains what the command line can do with such a folder.
//
// A checkpoint is written into a temporary folder, flushed and renamed. It holds the
// hashes of its files, of the configuration and of the snapshots, and the checksums of
// the rows of metrics.jsonl; each checksum includes the previous one. The row of a step
// is flushed, and its snapshot written, before the checkpoint of that step. Anything
// after the last intact checkpoint is computed again with the same bits, because
// training depends on its configuration alone (see package train). A folder has one
// owner at a time, by a system lock that a kill releases.
//
// A run never reads back a file that somebody else has changed. It keeps its results in
// memory; if its files have changed, it sets the changed files aside, restores the
// original files, and ends with an error. Damage found when resuming is reported. A
// damaged file that cannot be recomputed is kept as FILE.changed.
package run
