// Package exchange writes models and runs for other tools, and reads models from them:
//
//	err := exchange.Export(ctx, "onnx", exchange.Source{Name: "runs/first", Model: m}, "first.onnx")
//	m, err := exchange.Import("ckpt.pt", exchange.ImportOptions{Format: "nanogpt"})
//
// [Formats] lists the formats. Each has one file, and a line in the table of format.go:
//
//   - a model's weights: safetensors and npz under the names that foretell uses,
//     transformerlens with all that HookedTransformer has, nanogpt, huggingface. Tests
//     compare the logits with PyTorch's.
//   - a model as a graph of operators: onnx. onnx.go makes the graph, onnx_proto.go
//     encodes it. Tests compare the logits with ONNX Runtime's.
//   - a run's evaluations: tensorboard, wandb, mlflow. record.go reads them.
//
// A format that cannot express a network refuses it, with the field of its configuration
// that is the reason. The same model gives the same bytes, except for mlflow, which sends
// to a server.
//
// [Import] reads safetensors and the files of torch.save. The latter can contain code;
// none of it is run (see package torchfile).
package exchange
