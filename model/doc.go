// Package model implements the transformer that foretell trains and inspects: its
// configuration, its parameters by TransformerLens name, the forward pass and the
// hand-written backward pass, and every activation by hook name.
//
// A [Transformer] is made by [New] from a [Config], read from a run, a checkpoint or a
// file by [Load], or filled in by hand through [Weights.Get]. It is generic over the
// precision: training runs in float32, hand-written weights and gradient checks run in
// float64, with the same code.
//
// Each part of the network has one file with its forward and backward pass: embed.go,
// norm.go, attention.go, mlp.go and unembed.go. transformer.go calls them in order. In
// comments B is the number of sequences, T their length, H the number of heads of a
// layer, h the width of a head (d_head), d the width of the residual stream, m the width
// of the MLP and V the number of tokens. "x is (B,T,d)" means that x is an array of this
// shape in row-major order.
//
// # Adding or concatenating
//
// With residual: concat the outputs of heads are appended to the residual stream instead
// of added to it. This is the disentangled transformer of D'Angelo et al. 2025, Sec. 2;
// the formulas are at [Config.Concatenates], and the names of the blocks of the stream at
// [Config.Blocks]. Its Go type is Transformer too. Its weights are unembed.W_U and, for
// each layer, blocks.0.attn.W_A (H,d,d), whose rows belong to the destination and whose
// columns belong to the source. concat.go has the shapes, disentangled.go the forward
// pass, disentangled_backward.go the backward pass, and concat_products.go the products
// of both, which skip one-hot columns. The hooks are
//
//	block blocks.0.hook_resid_pre                      (B,T,d), d depends on the layer
//	      blocks.0.attn.hook_attn_scores, hook_pattern (B,H,T,T)
//	      blocks.0.hook_resid_post                     (B,T,d of the next layer)
//
// # The output
//
// Logits are norm(x)·W_U + b_U. With unembed_bias: false there is no b_U. With
// tie_unembed: true there is no W_U and no b_U: logits are norm(x)·W_Eᵀ, and the gradient
// of embed.W_E is the sum over both uses.
//
// # Without attention
//
// With architecture: flat the model is a baseline, a linear predictor or an MLP whose
// input is the window of the last n_ctx tokens as one vector; the formulas are at
// [Config.Flat]. flat.go has the shapes, flat_pass.go the forward and backward pass. The
// hooks are
//
//	hook_embed                                         (B,T,d)
//	hook_window                                        (B,T,n_ctx·d)
//	blocks.0.mlp.hook_pre, hook_post                   (B,T,m)
//
// # GPT-2
//
// [GPT2] returns the configuration of one of the four GPT-2 sizes. [LoadHuggingFace]
// reads a GPT-2 from a Hugging Face folder, and [Transformer.SaveHuggingFace] writes one.
// huggingface.go has the configuration, huggingface_tensors.go maps tensors to
// parameters, and huggingface_files.go reads and writes the files. In that format W_Q,
// W_K and W_V of all heads are the columns of one matrix. Tests compare loaded models
// with a numpy implementation.
//
// # Looking inside
//
// A [Workspace] holds the activations of one pass. Its Hook is called with each
// activation by name as soon as it is computed, and the rest of the pass uses what the
// hook writes into it. Reading, patching and ablating all use this one mechanism;
// [Transformer.RunWithCache] is the common case of reading.
//
// This example zeroes head 1 of layer 0 and computes the logits of a sequence, then the
// gradient of one logit with respect to the residual stream before layer 0:
//
//	w := model.NewWorkspace[float32](m.Config, 1)
//	w.HookNames = []string{"blocks.0.attn.hook_z"}
//	w.Hook = func(z model.Tensor[float32]) { for t := range tokens { clear(z.Row(0, t, 1)) } }
//	logits := m.Forward(w, tokens, 1) // (T,V)
//	of0 := func(_, gradient []float32) { gradient[0] = 1 } // the logit of token 0 at the first position
//	gradients, err := m.Gradients(tokens, 1, of0, "blocks.0.hook_resid_pre")
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
// The names and shapes are TransformerLens's. hook_normalized is the output of the layer
// norm, after its weight and bias; hook_scale is the divisor √(variance + eps) of each
// row. A hook that writes the scales of another pass freezes the norm: it divides by the
// written scales, and a backward pass treats each changed scale as a constant.
//
// [Config.Hooks] returns the names that a configuration has. For any other name
// RunWithCache and [Config.CheckHooks] return an error with a suggestion, and other
// passes panic. [Tensor.At] returns one number of an activation, [Tensor.Row] a row to
// read or write.
//
// [Transformer.LogitLens] applies the final norm and the unembedding to a stage of the
// residual stream. [Transformer.HeadResults] splits what attention adds to the stream by
// head.
//
// [Transformer.Gradients] is RunWithCache for gradients: it runs a forward pass and a
// backward pass from a metric of the logits, and returns the metric's gradient with
// respect to each activation under the activation's name (for attribution patching). In
// your own pass, set [Workspace.GradientHook]. gradients.go has the code that only this
// use of the backward pass needs.
//
// # Passes
//
// [Transformer.Forward] computes every position of every sequence.
// [Transformer.ForwardLast] skips positions of the last block that are not needed.
// [Transformer.ForwardTree] runs over a tree of sequences and computes shared prefixes
// once. A [Stream] continues a sequence from stored keys and values, and
// [Transformer.Generate] samples continuations. Where two of them compute the same
// number, they give the same bits. ForwardTree does not call hook_attn_scores,
// ForwardLast does not call it in the last block, and a Stream calls no hooks.
package model
