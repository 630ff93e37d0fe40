// Package sweep trains a study: the runs of one configuration with several values of some
// settings, each with several seeds.
//
// [Read] reads a study file, which is a training configuration with a section sweep, and
// [Plan.Expand] makes a [Manifest] of it: the full configuration of each run, and an id
// that is a hash of that configuration. [Begin] writes the manifest into a folder, once.
// [Study.Train] trains the runs that are missing there, and may be called again after any
// interruption. [Study.States] says which runs are complete.
//
// # Files
//
//	study.yaml      the study file, as it was given
//	manifest.jsonl  one line about the study, then one for each run; it never changes
//	runs/ID/        a complete run, see [run.Run]; nothing else is ever in runs
//	attempts/NAME/  a run in training; the part of NAME before the first dot is its id
//	failed/ID.json  why a run has no result
//	report.html     the page of [Results], with runs.csv and grid.svg
//
// # Laws
//
// The folder is the truth: no lock, no database and no clock decides what is done. A run
// is complete if its folder is in runs, where [run.Publish] puts it by one rename. Each
// program trains in its own attempts and continues from the furthest of all attempts,
// which it copies, so no file ever has two writers. Two programs that train the same run
// waste time and nothing else: both compute the same bits, and the second to finish finds
// that and removes its own folder. A run that diverged would diverge again, so it is not
// repeated; every other failure is.
package sweep
