// Package parquettable writes tables as Parquet. All Parquet files of the program are
// written here, by the same rules:
//
//   - Every column is optional and has one type: INT64, DOUBLE, BOOLEAN, or UTF-8 text.
//     A missing value is null.
//   - Columns have the order in which they are given, and pages are compressed with
//     Snappy, which every reader knows.
//   - The same table has the same bytes.
package parquettable

// Column is a column of a table. Its values are all of one type, which is int64, float64,
// bool or string, or nil for a missing value.
type Column struct {
	Name   string
	Values []any
}
