// Package bench measures the engine: training steps, sampling and single
// kernels, each beside the peak of the machine measured in the same run.
//
// A share of the peak, or a ratio of two runs taken in turn, says something;
// absolute figures move from machine to machine and from minute to minute.
//
// [Models] are the reference models that the comparison with PyTorch times
// (peer/torch_bench.py), by the same names.
package bench
