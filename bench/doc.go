// Package bench measures the engine: training steps, sampling and single kernels. Each
// result comes with the machine's peak, measured in the same run.
//
// Only a share of the peak, or the ratio of two interleaved runs, is meaningful; absolute
// numbers differ between machines and from minute to minute.
//
// [Models] are the reference models, which the comparison with PyTorch
// (peer/torch_bench.py) times under the same names.
package bench
