package model

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"foretell/internal/strict"
)

// lensDefaults is HookedTransformerConfig(d_model=8, …).to_dict() of TransformerLens 2,
// by yaml.safe_dump, with the type of its numbers as text.
const lensDefaults = `model:
  {n_layers: 2, d_model: 8, n_ctx: 5, d_head: 4, model_name: custom, n_heads: 2, d_mlp: 32, act_fn: gelu, d_vocab: 3,
   eps: 1.0e-05, use_attn_result: false, use_attn_scale: true, attn_scale: 2.0, use_split_qkv_input: false,
   use_hook_mlp_in: false, use_attn_in: false, use_local_attn: false, ungroup_grouped_query_attention: false,
   original_architecture: null, from_checkpoint: false, checkpoint_index: null, checkpoint_label_type: null,
   checkpoint_value: null, tokenizer_name: null, window_size: null, attn_types: null, init_mode: gpt2,
   normalization_type: LN, device: cpu, n_devices: 1, attention_dir: causal, attn_only: false, seed: null,
   initializer_range: 0.282842712474619, init_weights: true, scale_attn_by_inverse_layer_idx: false,
   positional_embedding_type: standard, final_rms: false, d_vocab_out: 3, parallel_attn_mlp: false, rotary_dim: null,
   n_params: 1536, use_hook_tokens: false, gated_mlp: false, default_prepend_bos: true, dtype: torch.float32,
   tokenizer_prepends_bos: null, n_key_value_heads: null, post_embedding_ln: false, rotary_base: 10000,
   trust_remote_code: false, rotary_adjacent_pairs: false, load_in_4bit: false, num_experts: null,
   experts_per_token: null, relative_attention_max_distance: null, relative_attention_num_buckets: null,
   decoder_start_token_id: null, tie_word_embeddings: false, use_normalization_before_and_after: false,
   attn_scores_soft_cap: -1.0, output_logits_soft_cap: -1.0, use_NTK_by_parts_rope: false,
   NTK_by_parts_low_freq_factor: 1.0, NTK_by_parts_high_freq_factor: 4.0, NTK_by_parts_factor: 8.0}
`

func readModel(text string, assignments ...string) (Config, error) {
	doc, err := strict.Parse("c.yaml", []byte(text))
	if err != nil {
		return Config{}, err
	}
	for _, a := range assignments {
		if err := doc.Set(a); err != nil {
			return Config{}, err
		}
	}
	var s section
	if err := doc.Decode(&s); err != nil {
		return Config{}, err
	}
	c, err := s.Model.Resolve()
	return c, doc.Explain(strict.Within("model", err))
}

// What TransformerLens says of a network is read as that network.
func TestTransformerLensConfiguration(t *testing.T) {
	ours := Config{DModel: 8, NLayers: 2, NHeads: Heads{2}, NCtx: 5, DVocab: 3}
	for name, test := range map[string]struct {
		set    []string
		change func(*Config)
	}{
		"all":                {nil, func(*Config) {}},
		"before it resolves": {[]string{"model.n_heads=-1", "model.d_mlp=null", "model.attn_scale=-1.0", "model.d_vocab_out=-1"}, func(*Config) {}},
		"no norm":            {[]string{"model.normalization_type=null"}, func(c *Config) { c.NormalizationType = "none" }},
		"rotary": {[]string{"model.positional_embedding_type=rotary", "model.rotary_dim=4"}, func(c *Config) {
			c.PositionalEmbeddingType = "rotary"
		}},
		"gelu_fast":      {[]string{"model.act_fn=gelu_fast"}, func(c *Config) { c.ActFn = "gelu_new" }},
		"attention only": {[]string{"model.attn_only=true", "model.d_mlp=null", "model.act_fn=null"}, func(c *Config) { c.AttnOnly = true }},
		"tied":           {[]string{"model.tie_word_embeddings=true"}, func(c *Config) { c.TieUnembed = true }},
	} {
		got, err := readModel(lensDefaults, test.set...)
		want := ours
		test.change(&want)
		want = resolved(t, want)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", name, err, got, want)
		}
	}
}

// What would be another network is refused where it stands, with the reason.
func TestTransformerLensRefused(t *testing.T) {
	for assignment, want := range map[string]string{
		"gated_mlp=true":                      "= true is not supported: MLPs have no gate; leave it out",
		"attention_dir=bidirectional":         `= "bidirectional" is not supported: attention is causal; leave it out`,
		"seed=3":                              "= 3 is not supported: the seed of a training run is train.seed; leave it out",
		"window_size=4":                       "= 4 is not supported: attention covers all earlier positions; leave it out",
		"attn_types=[global]":                 "= [global] is not supported: attention covers all earlier positions; leave it out",
		"dtype=torch.bfloat16":                `= "torch.bfloat16" is not supported: training is in float32; leave it out`,
		"d_vocab_out=7":                       "= 7 differs from d_vocab = 3; a model predicts the tokens that it reads: leave it out",
		"d_vocab_out=many":                    `= "many" is not a whole number`,
		"rotary_dim=2":                        "= 2 differs from d_head = 4; rotary positions rotate whole heads: leave it out",
		"attn_scale=3.0":                      "= 3 needs residual: concat; otherwise scores are divided by √d_head: leave it out",
		"normalization_type=RMS":              `= "RMS" is not one of none, LN, LNPre`,
		"positional_embedding_type=alibi":     `= "alibi" is not one of learned, sinusoidal, rotary, none`,
		"act_fn=solu_ln":                      `= "solu_ln" is not one of relu, gelu, gelu_new, silu`,
		"positional_embedding_type=null":      "",
		"n_layers=null":                       "",
		"use_normalization_before_and_aftr=1": "",
	} {
		key, _, _ := strings.Cut(assignment, "=")
		text := "model." + assignment + ": model." + key + " " + want
		if _, err := readModel(lensDefaults, "model."+assignment); err == nil || want != "" && err.Error() != text {
			t.Errorf("got  %v\nwant %s", err, text)
		}
	}
	if _, err := readModel(strings.Replace(lensDefaults, "d_head: 4", "d_head: 3", 1), "model.n_heads=-1"); err == nil ||
		err.Error() != "model.n_heads=-1: model.n_heads = -1 means d_model/d_head, but d_model = 8 is not a multiple of d_head = 3" {
		t.Error(err)
	}
	if _, err := readModel("model: {d_model: 8,\n  final_rms: true}"); err == nil ||
		err.Error() != "c.yaml:2:3: model.final_rms = true is not supported: norms are layer norms; leave it out" {
		t.Error(err)
	}
}

// A configuration is written in TransformerLens's terms, and read as it was.
func TestTransformerLensTermsWritten(t *testing.T) {
	for _, test := range small {
		c := resolved(t, test.config)
		for name, marshal := range map[string]func(any) ([]byte, error){"YAML": strict.Marshal, "JSON": strict.MarshalJSON} {
			text, err := marshal(section{Model: c})
			if err != nil {
				t.Fatal(err)
			}
			again, err := readModel(string(text))
			if err != nil || !reflect.DeepEqual(again, c) {
				t.Errorf("%s, %s: %v\ngot  %+v\nwant %+v", test.name, name, err, again, c)
			}
		}
	}
	c := resolved(t, Config{DModel: 8, NLayers: 2, NHeads: Heads{2}, NCtx: 5, DVocab: 3, NormalizationType: "none"})
	text, err := strict.MarshalJSON(c)
	const want = `{"d_model": 8, "n_layers": 2, "n_heads": 2, "d_head": 4, "d_mlp": 32, "n_ctx": 5, "d_vocab": 3, "act_fn": "gelu", ` +
		`"normalization_type": null, "positional_embedding_type": "standard", "eps": 1.0e-05, "initializer_range": 0.282842712474619}`
	if err != nil || string(text) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, text, want)
	}
}

// The table of docs/python.md has every key.
func TestTransformerLensTable(t *testing.T) {
	table, err := os.ReadFile("../docs/python.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := []string{"d_vocab_out", "rotary_dim", "tie_word_embeddings"}
	for key := range lensKeys {
		keys = append(keys, key)
	}
	for field := range reflect.TypeFor[Config]().Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); name != "" {
			keys = append(keys, name)
		}
	}
	for _, key := range keys {
		if !strings.Contains(string(table), fmt.Sprintf("`%s`", key)) {
			t.Errorf("docs/python.md does not name %s", key)
		}
	}
}

func resolved(t *testing.T, c Config) Config {
	t.Helper()
	c, err := c.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
