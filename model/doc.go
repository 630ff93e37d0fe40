// Package model holds the transformer that foretell trains and looks into:
// its configuration, its parameters by TransformerLens name, the forward pass
// and the backward pass written side by side, and every activation by hook
// name.
//
// A [Transformer] is made by [New] from a [Config], read from a run, a checkpoint
// or a file by [Load], or filled in by hand through [Weights.Get]. It is generic
// over the precision: training runs in float32, hand-written weights and gradient
// checks in float64, by the same code.
//
// Each part of the network is a file that holds its forward and its backward:
// embed.go, norm.go, attention.go, mlp.go, unembed.go; transformer.go strings
// them together and reads as a table of contents. In comments B is the number
// of sequences, T their length, H the heads of a layer, h the width of a head
// (d_head), d the width of the residual stream, m that of the MLP and V the
// number of tokens; "x is (B,T,d)" says that x is stored row by row, in that
// order.
//
// # Adding or concatenating
//
// With residual: concat heads are appended to the residual stream instead of added to
// it: the disentangled transformer of D'Angelo et al. 2025, Sec. 2; the formulas are at
// [Config.Concatenates], the names of the stream's parts at [Config.Blocks]. It is the
// same Transformer, with weights blocks.0.attn.W_A (H,d,d), row the destination's side
// and column the source's, and unembed.W_U; concat.go holds its shapes, disentangled.go
// its forward pass, disentangled_backward.go the backward pass, and concat_products.go
// the products of both, which spare what is one-hot. Its hooks are
//
//	block blocks.0.hook_resid_pre                      (B,T,d), d by layer
//	      blocks.0.attn.hook_attn_scores, hook_pattern (B,H,T,T)
//	      blocks.0.hook_resid_post                     (B,T,d of the next layer)
//
// # The output
//
// Logits are norm(x)·W_U + b_U. With unembed_bias: false there is no b_U, and with
// tie_unembed: true neither: logits are norm(x)·W_Eᵀ, and embed.W_E has the gradients of
// both its uses.
//
// # Without attention
//
// With architecture: flat the model is a baseline, a linear predictor or an MLP on the
// window of the last n_ctx tokens as one vector; the formulas are at [Config.Flat].
// flat.go holds its shapes, flat_pass.go its forward and backward pass. Its hooks are
//
//	hook_embed                                         (B,T,d)
//	hook_window                                        (B,T,n_ctx·d)
//	blocks.0.mlp.hook_pre, hook_post                   (B,T,m)
//
// # GPT-2
//
// [GPT2] is the configuration of one of its four sizes. [LoadHuggingFace] reads a GPT-2
// from a folder of Hugging Face's transformers, [Transformer.SaveHuggingFace] writes one;
// huggingface.go holds the configuration there, huggingface_tensors.go which tensor holds
// which parameters, huggingface_files.go the files. W_Q, W_K and W_V of all heads are the
// columns of one matrix there; what is read is checked against numpy.
//
// # Looking inside
//
// A [Workspace] carries the activations of one pass. Its Hook is called with
// each of them, by name, as soon as it is computed; what the hook writes into
// it is what the rest of the pass sees. Reading, patching and ablating are that
// one mechanism; [Transformer.RunWithCache] is the common case of reading.
//
// What zeros for head 1 of layer 0 do to the logits of a word, and the gradient of one
// of them with respect to the stream before it, are
//
//	w := model.NewWorkspace[float32](m.Config, 1)
//	w.HookNames = []string{"blocks.0.attn.hook_z"}
//	w.Hook = func(z model.Tensor[float32]) { for t := range word { clear(z.Row(0, t, 1)) } }
//	logits := m.Forward(w, word, 1) // (T,V)
//	of0 := func(_, gradient []float32) { gradient[0] = 1 } // token 0 after the first of the word
//	gradients, err := m.Gradients(word, 1, of0, "blocks.0.hook_resid_pre")
//
// The hooks are
//
//	embed hook_embed, hook_pos_embed
//	block blocks.0.hook_resid_pre
//	      blocks.0.ln1.hook_scale                      (B,T,1)
//	      blocks.0.ln1.hook_normalized
//	      blocks.0.attn.hook_q, hook_k, hook_v         (B,T,H,h)
//	      blocks.0.attn.hook_rot_q, hook_rot_k         (B,T,H,h), with rotary positions
//	      blocks.0.attn.hook_attn_scores, hook_pattern (B,H,T,T): destination, source
//	      blocks.0.attn.hook_z                         (B,T,H,h)
//	      blocks.0.hook_attn_out, hook_resid_mid
//	      blocks.0.ln2.hook_scale, hook_normalized
//	      blocks.0.mlp.hook_pre, hook_post             (B,T,m)
//	      blocks.0.hook_mlp_out, hook_resid_post
//	head  ln_final.hook_scale, hook_normalized
//
// The names and shapes are TransformerLens's. hook_normalized is what the layer
// norm hands on, its weight and bias applied; hook_scale is √(variance + eps) of each
// row, by which it divides. A hook that writes the scales of another pass freezes the
// norm: it divides by them, and a backward pass takes each scale that was changed for a
// constant.
//
// [Config.Hooks] lists the names that a configuration has; another is an error from
// RunWithCache and [Config.CheckHooks], which says which was probably meant, and a panic
// in a pass. [Tensor.At] is a number of an activation, [Tensor.Row] a row to read or to
// write.
//
// [Transformer.LogitLens] reads a residual stage through the final norm and the
// unembedding, [Transformer.HeadResults] tells the heads of a layer apart in what
// attention adds to the stream.
//
// [Transformer.Gradients] is RunWithCache for gradients: a pass forward and one back from
// a metric of the logits, which yields the metric's gradient with respect to each
// activation under the activation's name (attribution patching). In a pass of one's own
// it is the GradientHook that sees them. gradients.go holds what the backward pass of
// training does not need for itself.
//
// # Passes
//
// [Transformer.Forward] computes every position of every sequence.
// [Transformer.ForwardLast] spares the last block the positions that nobody
// asks for, [Transformer.ForwardTree] runs over a tree of words without
// repeating a shared beginning, a [Stream] goes on with a sequence from keys and values
// that it has kept, and [Transformer.Generate] draws what follows. All give the same bits
// where they compute the same thing. ForwardTree shows no hook_attn_scores, ForwardLast
// none of the last block, a Stream no hooks at all.
package model
