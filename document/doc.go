// Package document holds what is written about things found: tables of numbers with what
// their columns mean.
//
// A [Frame] keeps its numbers as numbers. What a reader sees, a [Table] of texts, and
// what a program reads, CSV and JSON, all follow from it, so each number is formatted
// once, at the end.
package document
