// Package runtable is a table of many runs: a row for each with its settings and results,
// to be filtered, sorted, compared and written as CSV, JSON or Parquet.
//
//	table, err := runtable.Read(ctx, "runs/study")
//	err = table.Where("kl < 0.01 and model.d_model >= 32")
//	err = table.Sort(false, "kl")
//	err = table.Forms("").Write(w, ".parquet")
//
// A run that cannot be read is a row with its error. The columns of a table are the
// settings in which its runs differ, and results; [Table.Show] chooses others.
// [Compare] says where two runs or more differ, [Open] what one run is, and [Remove]
// removes runs that nobody needs any more.
//
// # Index
//
// [Read] reads the files of each run. For a folder with many runs it keeps what it has
// read in an index in the user's cache folder. The index is never the truth: an entry
// counts only if size, times, inode and device of the run's files are those that they had
// when the entry was made, and an index that is missing, damaged or of another version is
// made again. It can be deleted at any time. Files that were changed less than two
// seconds before they were read are read again, because a later change could have the
// same time.
package runtable
