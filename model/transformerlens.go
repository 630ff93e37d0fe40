package model

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/strict"
)

// lens describes a key of TransformerLens's HookedTransformerConfig that [Config] does
// not have. It lists the values of the key for which this package can build the same
// network. If the key does not affect the network, any value is allowed.
type lens struct {
	values []any  // the allowed values; nil allows any
	ours   string // the reason why other values are not allowed
}

var anything = lens{}

// oneOf describes a key that must have one of the given values; the first is
// TransformerLens's default. The string `ours` is the reason why other values are not
// allowed.
func oneOf(ours string, values ...any) lens { return lens{values, ours} }

// lensKeys are the keys of HookedTransformerConfig (TransformerLens 2.x) that [Config]
// does not have. docs/python.md lists all keys, including those that Config has.
var lensKeys = map[string]lens{
	"model_name": anything, "original_architecture": anything, "from_checkpoint": anything,
	"checkpoint_index": anything, "checkpoint_label_type": anything, "checkpoint_value": anything,
	"tokenizer_name": anything, "tokenizer_prepends_bos": anything, "default_prepend_bos": anything,
	"device": anything, "n_devices": anything, "n_params": anything, "trust_remote_code": anything,
	"use_attn_result": anything, "use_split_qkv_input": anything, "use_hook_mlp_in": anything,
	"use_attn_in": anything, "use_hook_tokens": anything, "ungroup_grouped_query_attention": anything,
	"decoder_start_token_id": anything, "NTK_by_parts_low_freq_factor": anything,
	"NTK_by_parts_high_freq_factor": anything, "NTK_by_parts_factor": anything, "NTK_original_context_len": anything,

	"use_attn_scale":                     oneOf("scores are divided by √d_head", true),
	"attention_dir":                      oneOf("attention is causal", "causal"),
	"use_local_attn":                     oneOf("attention covers all earlier positions", false),
	"window_size":                        oneOf("attention covers all earlier positions", nil),
	"attn_types":                         oneOf("attention covers all earlier positions", nil),
	"init_mode":                          oneOf("weights are initialised as in gpt2", "gpt2"),
	"init_weights":                       oneOf("weights are initialised at random", true),
	"seed":                               oneOf("the seed of a training run is train.seed", nil),
	"dtype":                              oneOf("training is in float32", "torch.float32", "float32", nil),
	"final_rms":                          oneOf("norms are layer norms", false),
	"gated_mlp":                          oneOf("MLPs have no gate", false),
	"load_in_4bit":                       oneOf("weights are float32", false),
	"num_experts":                        oneOf("a layer has one MLP", nil),
	"rotary_base":                        oneOf("rotary angles have base 10000", 10000, 10000.0),
	"use_qk_norm":                        oneOf("queries and keys have no norm", false),
	"parallel_attn_mlp":                  oneOf("the MLP reads the stream after attention", false),
	"scale_attn_by_inverse_layer_idx":    oneOf("scores are divided by √d_head in each layer", false),
	"n_key_value_heads":                  oneOf("each head has its own keys and values", nil),
	"post_embedding_ln":                  oneOf("no norm follows the embedding", false),
	"rotary_adjacent_pairs":              oneOf("rotary positions pair the two halves of a head", false),
	"experts_per_token":                  oneOf("a layer has one MLP", nil),
	"relative_attention_max_distance":    oneOf("positions are not relative", nil),
	"relative_attention_num_buckets":     oneOf("positions are not relative", nil),
	"use_normalization_before_and_after": oneOf("norms come before attention and MLP", false),
	"attn_scores_soft_cap":               oneOf("scores have no cap", -1, -1.0),
	"output_logits_soft_cap":             oneOf("logits have no cap", -1, -1.0),
	"use_NTK_by_parts_rope":              oneOf("rotary angles have base 10000", false),
}

// ReadTerm reads a key that has another form in TransformerLens: positions called
// standard, the values null and −1 for omitted fields, and keys that [Config] does not
// have. The result taken reports whether ReadTerm handled the key.
func (c *Config) ReadTerm(key string, value any) (taken bool, err error) {
	if term, ok := lensKeys[key]; ok {
		return true, term.check(value)
	}
	switch number, isNumber := toNumber(value); {
	case key == "normalization_type" && value == nil:
		c.NormalizationType = "none"
	case key == "positional_embedding_type" && value == "standard":
		c.PositionalEmbeddingType = "learned"
	case key == "act_fn" && slices.Contains([]any{"gelu_fast", "gelu_pytorch_tanh"}, value): // other names of gelu_new
		c.ActFn = "gelu_new"
	case key == "tie_word_embeddings" && (value == true || value == false):
		c.TieUnembed = value == true
	case value == nil && slices.Contains([]string{"d_mlp", "act_fn", "d_head", "unembed_bias"}, key):
	case isNumber && number == -1 && slices.Contains([]string{"d_vocab", "initializer_range", "attn_scale"}, key):
	case key == "n_heads" && isNumber && number == -1:
		c.NHeads = Heads{-1} // d_model / d_head, see resolveHeads
	case key == "d_vocab_out" || key == "rotary_dim":
		return true, c.ask(key, value)
	default:
		return false, nil
	}
	return true, nil
}

// check returns an error unless the key allows the value. The message is worded to follow
// the key.
func (l lens) check(value any) error {
	if l.values == nil {
		return nil
	}
	for _, allowed := range l.values {
		if value == allowed {
			return nil
		}
	}
	return fmt.Errorf("= %s is not supported: %s; leave it out", written(value), l.ours)
}

// written returns a value as it is written in a configuration.
func written(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("%q", value)
	}
	return fmt.Sprint(value)
}

func toNumber(value any) (x float64, ok bool) {
	switch value := value.(type) {
	case int:
		return float64(value), true
	case float64:
		return value, true
	}
	return 0, false
}

// ask stores the value of a key that must equal another field, so that [Config.Resolve]
// can compare them.
func (c *Config) ask(key string, value any) error {
	number, ok := toNumber(value)
	switch {
	case value == nil || number == -1:
		return nil
	case !ok || number != math.Trunc(number) || math.Abs(number) > largest:
		return fmt.Errorf("= %s is not a whole number", written(value))
	case key == "d_vocab_out":
		c.asked.vocabOut = int(number)
	default:
		c.asked.rotaryDim = int(number)
	}
	return nil
}

// asked has the values of two TransformerLens keys, d_vocab_out and rotary_dim, that
// repeat another field.
type asked struct {
	vocabOut, rotaryDim int // 0 if not given
}

// checkAsked compares the repeated values with the resolved configuration.
func (c Config) checkAsked() error {
	if n := c.asked.vocabOut; n != 0 && n != c.DVocab {
		return strict.Fieldf("d_vocab_out", "= %d differs from d_vocab = %d; a model predicts the tokens "+
			"that it reads: leave it out", n, c.DVocab)
	}
	if n := c.asked.rotaryDim; n != 0 && n != c.DHead {
		return strict.Fieldf("rotary_dim",
			"= %d differs from d_head = %d; rotary positions rotate whole heads: leave it out", n, c.DHead)
	}
	return nil
}

// WriteTerm returns the value of a field in TransformerLens's form if that form differs
// from the one in Config: standard for learned positions, null for no norm, and a single
// number of heads if all layers have the same. Otherwise given is false.
func (c Config) WriteTerm(key string) (value any, given bool) {
	switch {
	case key == "positional_embedding_type" && c.PositionalEmbeddingType == "learned":
		return "standard", true
	case key == "normalization_type" && c.NormalizationType == "none":
		return nil, true
	case key == "n_heads" && c.NHeads.same():
		return c.NHeads[0], true
	}
	return nil, false
}

// same reports whether all layers have the same number of heads.
func (h Heads) same() bool { return len(h) > 0 && slices.Min(h) == slices.Max(h) }
