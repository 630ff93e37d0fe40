// Package run keeps a training in a folder of plain files, where it survives a kill.
//
// [Ensure] is what most callers want: it trains the model of a configuration, goes
// on with a run that was stopped, or takes one that is complete, and returns the model;
// whichever it did, the bits are the same. [Create] and [Resume] are its parts; [Open]
// reads the model of a run, of one of its checkpoints, or of a folder from elsewhere;
// [Metrics] reads the evaluations, [Snapshot] the weights at a step that was asked for,
// and [List] finds the runs below a folder, which [Check] verifies. The folder is the
// truth: there is no index beside it. See [Run] for its files.
//
// A process that Go code has made, as a signal of one's own by [process.NewSignal], is
// learned by [Options.ByCode]. The configuration then names none; one that is a file has
// its sections model: and train: alone, and is read for the process by [train.ParseOn]:
//
//	tide, err := process.NewSignal("tide", samples, 32)
//	text, err := os.ReadFile("tide.yaml")
//	c, err := train.ParseOn(tide, "tide.yaml", text) // or a train.Config in Go
//	trained, err := run.Ensure(ctx, "runs/tide", c, run.Options{ByCode: tide})
//	logits, err := trained.Model.Logits(tide.Record()[:c.Model.NCtx])
//
// What the command line finds in such a folder is in [Ensure].
//
// A checkpoint is written into a temporary folder, flushed and renamed, and carries the
// hashes of its files, of the configuration and of the snapshots, and the checksums of
// the rows of metrics.jsonl, each of which goes on from the one before. A row is flushed
// before the checkpoint of its step, a snapshot is written before it. What lies beyond
// the last intact checkpoint comes again, the same, because a training depends on its
// configuration alone (see package train). A folder has one owner at a time, by a lock
// of the system's that a kill releases.
//
// Nothing is taken from a file that somebody else has changed: what a run computes it
// keeps in memory, puts its files back if they have changed, keeps what it found, and
// ends with an error. What it finds damaged when it is resumed is told, and kept as
// FILE.changed if it cannot come again.
package run
