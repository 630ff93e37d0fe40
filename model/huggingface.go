package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"foretell/internal/exactjson"
	"foretell/internal/strict"
)

// hubConfig has the fields of a GPT-2's config.json in Hugging Face's transformers
// library. Keys that are not listed here do not change the predictions of the model.
type hubConfig struct {
	ModelType     string   `json:"model_type"`
	Architectures []string `json:"architectures,omitempty"`

	Vocab       int     `json:"vocab_size"`
	Positions   int     `json:"n_positions"`
	Context     int     `json:"n_ctx,omitempty"` // the older name of n_positions: written, not read
	Width       int     `json:"n_embd"`
	Layers      int     `json:"n_layer"`
	Heads       int     `json:"n_head"`
	Inner       *int    `json:"n_inner"` // 4·n_embd if null
	Activation  string  `json:"activation_function"`
	Eps         float64 `json:"layer_norm_epsilon"`
	Initializer float64 `json:"initializer_range"`
	Tied        bool    `json:"tie_word_embeddings"`

	// Only the default values of these are accepted, since others would change the network.
	Scaled        bool `json:"scale_attn_weights"`
	ScaledByLayer bool `json:"scale_attn_by_inverse_layer_idx"`
	Cross         bool `json:"add_cross_attention"`
	Quantization  any  `json:"quantization_config,omitempty"`

	// These are for training and generation in that library: written, not read.
	AttnDropout  any `json:"attn_pdrop"`
	EmbedDropout any `json:"embd_pdrop"`
	ResidDropout any `json:"resid_pdrop"`
	Begin        any `json:"bos_token_id"` // a token, several, or null
	End          any `json:"eos_token_id"`
	Type         any `json:"torch_dtype,omitempty"`
}

// hubDefaults returns the library's defaults for keys that a config.json leaves out.
func hubDefaults() hubConfig {
	return hubConfig{
		Vocab: gpt2Vocabulary, Positions: gpt2Context, Width: 768, Layers: 12, Heads: 12,
		Activation: "gelu_new", Eps: 1e-5, Initializer: gpt2Init, Tied: true, Scaled: true,
	}
}

// hubType is the only supported model_type. hubArchitectures are the supported
// architectures: the first includes the output layer, the second omits it, which is
// possible if the output is tied.
const hubType = "gpt2"

var hubArchitectures = []string{"GPT2LMHeadModel", "GPT2Model"}

// hubActivations maps the library's names of activation functions to values of act_fn.
var hubActivations = map[string]string{
	"gelu_new": "gelu_new", "gelu_pytorch_tanh": "gelu_new", "gelu_fast": "gelu_new",
	"gelu": "gelu", "relu": "relu", "silu": "silu", "swish": "silu",
}

// parseHubConfig returns the resolved configuration that a config.json describes. The
// string `taken` is for the end of an error message: it lists the sizes that the file
// does not set, with their defaults.
func parseHubConfig(text []byte) (c Config, taken string, err error) {
	h := hubDefaults()
	if err := exactjson.Unmarshal(text, &h); err != nil {
		return Config{}, "", hubSyntax(err)
	}
	if err := h.check(); err != nil {
		return Config{}, "", err
	}
	c, err = h.config().Resolve()
	return c, h.taken(text), hubTerms(err)
}

// taken returns the end of an error message that lists the sizes that text does not set,
// with their defaults. h was read from text. The result is empty if text sets all sizes.
func (h hubConfig) taken(text []byte) string {
	var given map[string]any
	if json.Unmarshal(text, &given) != nil {
		return "" // unreachable: the same text was decoded into h
	}
	var taken []string
	for _, size := range []field{
		{"vocab_size", h.Vocab},
		{"n_positions", h.Positions},
		{"n_embd", h.Width},
		{"n_layer", h.Layers},
		{"n_head", h.Heads},
	} {
		if given[size.path] == nil {
			taken = append(taken, fmt.Sprintf("%s (default %d)", size.path, size.value))
		}
	}
	if taken == nil {
		return ""
	}
	return fmt.Sprintf("; the %s does not set %s", hubConfigFile, strings.Join(taken, ", and "))
}

// hubSyntax rewords an error of package json for a reader of the file.
func hubSyntax(err error) error {
	var mistyped *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &mistyped):
		return fmt.Errorf("is not a valid JSON object: %w", err)
	case mistyped.Field == "":
		return fmt.Errorf("is a JSON %s; want an object", mistyped.Value)
	}
	return strict.Fieldf(mistyped.Field, "has type %s, want %s", mistyped.Value, mistyped.Type)
}

// check returns an error unless the configuration describes a GPT-2 like OpenAI's.
func (h hubConfig) check() error {
	heads := strings.Join(hubArchitectures, ", ")
	supported := fmt.Sprintf("the only supported architecture is %s (%s)", hubType, heads)
	if h.ModelType != hubType {
		return strict.Fieldf("model_type", "= %q; %s", h.ModelType, supported)
	}
	for _, name := range h.Architectures {
		if !slices.Contains(hubArchitectures, name) {
			return strict.Fieldf("architectures", "has %q; %s", name, supported)
		}
	}
	if _, ok := hubActivations[h.Activation]; !ok {
		return strict.Fieldf("activation_function", "= %q is not one of %s", h.Activation,
			strings.Join([]string{"gelu_new", "gelu_pytorch_tanh", "gelu_fast", "gelu", "relu", "silu", "swish"}, ", "))
	}
	switch {
	case !h.Scaled:
		return strict.Fieldf("scale_attn_weights", "= false; scores are always divided by √d_head: give true")
	case h.ScaledByLayer:
		return strict.Fieldf("scale_attn_by_inverse_layer_idx",
			"= true; scores are only divided by √d_head: give false")
	case h.Cross:
		return strict.Fieldf("add_cross_attention", "= true; there is no encoder to attend to: give false")
	case h.Quantization != nil:
		return strict.Fieldf("quantization_config", "is given; weights are read as F32, F16, BF16 or F64: "+
			"save the model without quantization")
	}
	return h.checkSizes()
}

// checkSizes returns an error for a size of 0, which a [Config] would treat as a missing
// field.
func (h hubConfig) checkSizes() error {
	sizes := []field{{"n_head", h.Heads}, {"n_embd", h.Width}}
	if h.Inner != nil {
		sizes = append(sizes, field{"n_inner", *h.Inner})
	}
	if err := positive(sizes...); err != nil {
		return err
	}
	switch {
	case h.Width%h.Heads != 0:
		return strict.Fieldf("n_embd", "= %d is not a multiple of n_head = %d", h.Width, h.Heads)
	case h.Eps == 0:
		return strict.Fieldf("layer_norm_epsilon", "= 0 is outside [%v, 1]", LeastEps)
	}
	return nil
}

// config returns the configuration that h describes; h must have been checked.
func (h hubConfig) config() Config {
	c := Config{
		DModel: h.Width, NLayers: h.Layers, NHeads: Heads{h.Heads}, NCtx: h.Positions, DVocab: h.Vocab,
		ActFn: hubActivations[h.Activation], Eps: h.Eps, InitializerRange: h.Initializer, TieUnembed: h.Tied,
	}
	if h.Inner != nil {
		c.DMLP = *h.Inner
	}
	if !h.Tied {
		c.UnembedBias = new(false)
	}
	return c
}

// hubFields maps the YAML keys of [Config] to the names in a config.json.
var hubFields = map[string]string{
	"d_model": "n_embd", "n_layers": "n_layer", "n_heads": "n_head", "n_ctx": "n_positions", "d_vocab": "vocab_size",
	"d_mlp": "n_inner", "eps": "layer_norm_epsilon",
}

// hubTerms replaces the YAML key in an error of [Config.Resolve] by the name of that
// field in a config.json.
func hubTerms(err error) error {
	var wrong *FieldError
	if errors.As(err, &wrong) && hubFields[wrong.Path] != "" {
		return &FieldError{Path: hubFields[wrong.Path], Reason: wrong.Reason}
	}
	return err
}

// hubConfigOf returns the config.json of a resolved configuration whose weights have the
// given number of bits. The error is a [*FieldError] that names the field that a GPT-2
// cannot have.
func hubConfigOf(c Config, bits int) (hubConfig, error) {
	if err := c.checkGPT2(); err != nil {
		return hubConfig{}, err
	}
	h := hubDefaults()
	h.ModelType, h.Architectures = hubType, hubArchitectures[:1]
	h.Vocab, h.Positions, h.Context, h.Width = c.DVocab, c.NCtx, c.NCtx, c.DModel
	h.Layers, h.Heads = c.NLayers, c.NHeads[0]
	if c.DMLP != 4*c.DModel {
		h.Inner = &c.DMLP
	}
	h.Activation, h.Eps, h.Initializer, h.Tied = c.ActFn, c.Eps, c.InitializerRange, c.TieUnembed
	const never = json.Number("0.0") // with a decimal point, because the library writes a float
	h.AttnDropout, h.EmbedDropout, h.ResidDropout = never, never, never
	h.Type = fmt.Sprintf("float%d", bits)
	if c.DVocab == gpt2Vocabulary {
		h.Begin, h.End = gpt2Vocabulary-1, gpt2Vocabulary-1 // the end-of-text token, which separates texts
	}
	return h, nil
}

// checkGPT2 returns a [*FieldError] unless the resolved configuration is one that GPT-2
// can have.
func (c Config) checkGPT2() error {
	switch {
	case c.Flat():
		return strict.Fieldf("architecture", "= %s, but GPT-2 is a transformer", c.Architecture)
	case c.Concatenates():
		return strict.Fieldf("residual", "= %s, but GPT-2 adds to its residual stream", c.Residual)
	case c.Output != "":
		return strict.Fieldf("output", "= %s, but GPT-2's outputs are logits", c.Output)
	case c.AttnOnly:
		return strict.Fieldf("attn_only", "= true, but GPT-2's blocks have an MLP")
	case c.NormalizationType != "LN":
		return strict.Fieldf("normalization_type", "= %s, but GPT-2 has LN", c.NormalizationType)
	case c.PositionalEmbeddingType != "learned":
		return strict.Fieldf("positional_embedding_type", "= %s, but GPT-2's positions are learned",
			c.PositionalEmbeddingType)
	case c.HasUnembedBias():
		return strict.Fieldf("unembed_bias", "= true, but GPT-2's output has no bias; "+
			"train with unembed_bias: false, or with tie_unembed: true")
	}
	for _, heads := range c.NHeads {
		if heads != c.NHeads[0] || heads*c.DHead != c.DModel {
			return strict.Fieldf("n_heads",
				"= %v with d_head = %d, but in each layer of GPT-2 n_heads·d_head is d_model = %d",
				[]int(c.NHeads), c.DHead, c.DModel)
		}
	}
	return nil
}
