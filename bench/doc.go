// Package bench measures the speed of training steps, of sampling, of an analysis over
// all prefixes, and of single kernels. Floating-point rates come with the machine's peak
// rate, measured in the same run.
//
// Only a rate relative to the peak, or the ratio of two interleaved runs, is meaningful:
// absolute numbers differ between machines and from minute to minute.
//
// [Solve] measures the end instead of the rate: how long training takes until most of
// what can be learned is learned.
//
// [Models] are the reference models, which the command peer also times in other engines.
package bench
