// Package document writes what is found about things: facts, tables of numbers with what
// their columns mean, and figures with captions.
//
// A [Frame] keeps its numbers as numbers. What a reader sees, a [Table] of texts, and
// what a program reads, CSV and JSON, all follow from it, so each number is formatted
// once, at the end.
//
// A [Document] is a list of sections with facts, tables and a figure. Its HTML is a page
// that is one file: a style sheet, light and dark colours with a switch, inline figures,
// and a policy that blocks all loading. A page with its own template, such as a report,
// creates it with [Template], creates its [Head] with [NewHead], and uses [CSS] and
// [Classes.Inline].
package document
