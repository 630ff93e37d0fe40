package model

import (
	"math"
	"slices"
	"strings"

	"foretell/internal/kernel"
	"foretell/internal/strict"
)

// Config describes a transformer with the field names of TransformerLens.
// [Config.Resolve] fills in optional fields that are zero. YAML files may also use other
// fields of HookedTransformerConfig. A Config is written to YAML with fields that
// HookedTransformerConfig accepts ([Config.ReadTerm], [Config.WriteTerm]).
type Config struct {
	// Architecture is transformer (the default) or flat, a baseline without attention that
	// allows n_layers = 0; see [Config.Flat].
	Architecture string `yaml:"architecture,omitempty"`

	DModel  int   `yaml:"d_model"`           // width of the residual stream
	NLayers int   `yaml:"n_layers"`          // number of blocks
	NHeads  Heads `yaml:"n_heads,omitempty"` // heads of each layer; one number applies to all layers
	DHead   int   `yaml:"d_head,omitempty"`  // width of a head; d_model / n_heads if 0
	DMLP    int   `yaml:"d_mlp,omitempty"`   // width of the MLP; 4·d_model if 0
	NCtx    int   `yaml:"n_ctx"`             // longest context in tokens
	DVocab  int   `yaml:"d_vocab"`           // number of tokens

	ActFn string `yaml:"act_fn,omitempty"` // relu, gelu (default), gelu_new or silu
	// none, LN (default) or LNPre (no weight, no bias)
	NormalizationType string `yaml:"normalization_type,omitempty"`
	// learned (default), sinusoidal, rotary or none; one_hot with residual: concat
	PositionalEmbeddingType string `yaml:"positional_embedding_type,omitempty"`
	AttnOnly                bool   `yaml:"attn_only,omitempty"` // blocks without MLP

	// Residual is add (the default), which adds the outputs of the heads to the residual
	// stream, or concat, which appends them. See [Config.Concatenates].
	Residual string `yaml:"residual,omitempty"`
	// AttnScale divides the attention scores with residual: concat (TransformerLens's
	// attn_scale, the temperature α of D'Angelo et al. 2025); 1 if 0. With residual: add the
	// divisor is √d_head, and the field is 0.
	AttnScale float64 `yaml:"attn_scale,omitempty"`
	// Output says what the product with W_U gives: logits (the default) or probabilities.
	// The logarithms of the probabilities are then the model's logits. Probabilities are for
	// hand-written weights.
	Output string `yaml:"output,omitempty"`
	// TieUnembed makes the output use the token embedding, logits = x·W_Eᵀ, as in GPT-2
	// (Press and Wolf 2017). The model then has no W_U and no b_U.
	TieUnembed bool `yaml:"tie_unembed,omitempty"`
	// UnembedBias decides whether the output has a bias b_U. If nil, the output has a bias
	// unless it is tied; new(false) removes the bias. See [Config.HasUnembedBias].
	UnembedBias *bool `yaml:"unembed_bias,omitempty"`

	Eps float64 `yaml:"eps,omitempty"` // added to the variance by layer norm; 1e-5 if 0
	// standard deviation of the initial weights; if 0, 0.8/√d_model, or 0.01 with residual:
	// concat
	InitializerRange float64 `yaml:"initializer_range,omitempty"`

	asked asked
}

// Heads is the number of attention heads of each layer. In YAML a single number applies
// to every layer.
type Heads []int

// UnmarshalYAML reads a number or a list of numbers.
func (h *Heads) UnmarshalYAML(unmarshal func(any) error) error {
	var form strict.Form
	if err := unmarshal(&form); err != nil {
		return err
	}
	if form == strict.List {
		return unmarshal((*[]int)(h))
	}
	var one int
	if err := unmarshal(&one); err != nil {
		return err
	}
	*h = Heads{one}
	return nil
}

// The allowed values of fields with a fixed list of values.
var (
	architectures  = []string{transformerArchitecture, flatArchitecture}
	activations    = []string{"relu", "gelu", "gelu_new", "silu"}
	normalizations = []string{"none", "LN", "LNPre"}
	positions      = []string{"learned", "sinusoidal", "rotary", "none"}
	residuals      = []string{"add", "concat"}
	outputs        = []string{"logits", "probabilities"}
)

// FieldError reports an invalid field of a configuration: Path is the field's YAML key,
// and Reason says what is wrong and what would be right. Configurations of processes and
// of training runs have errors of the same type.
type FieldError = strict.FieldError

// Resolve returns c with the optional fields filled in, or a [*FieldError] for the first
// invalid field.
func (c Config) Resolve() (Config, error) {
	c, err := c.resolve()
	if err != nil {
		return c, err
	}
	err = c.checkAsked()
	c.asked = asked{}
	return c, err
}

func (c Config) resolve() (Config, error) {
	c, err := c.resolveKind()
	if err != nil {
		return c, err
	}
	return c.kind().resolve()
}

func (n additive[F]) resolve() (Config, error) {
	c := Config(n)
	if err := c.checkPositions(); err != nil {
		return c, err
	}
	if err := positive(
		field{"d_model", c.DModel}, field{"n_layers", c.NLayers}, field{"n_ctx", c.NCtx}, field{"d_vocab", c.DVocab},
	); err != nil {
		return c, err
	}
	c, err := c.resolveHeads()
	if err != nil {
		return c, err
	}
	return c.resolveAdd()
}

// resolveKind checks the fields that choose the kind of network. It clears fields that
// have their default value, so that equal configurations have equal YAML text.
func (c Config) resolveKind() (Config, error) {
	if err := choose("architecture", &c.Architecture, transformerArchitecture, architectures); err != nil {
		return c, err
	}
	if c.Architecture == transformerArchitecture {
		c.Architecture = ""
	}
	if err := choose("residual", &c.Residual, "add", residuals); err != nil {
		return c, err
	}
	if err := choose("output", &c.Output, "logits", outputs); err != nil {
		return c, err
	}
	if c.Residual == "add" {
		c.Residual = ""
	}
	if c.Output == "logits" {
		c.Output = ""
	}
	return c.resolveUnembed()
}

// checkPositions returns an error for positions that need residual: concat.
func (c Config) checkPositions() error {
	if c.PositionalEmbeddingType != oneHot {
		return nil
	}
	return strict.Fieldf("positional_embedding_type", "= %q needs residual: concat; give one of %s",
		oneHot, strings.Join(positions, ", "))
}

// chooseParts fills in and checks the activation function, the norm and the positions.
func (c *Config) chooseParts() error {
	if err := choose("act_fn", &c.ActFn, "gelu", activations); err != nil {
		return err
	}
	if err := choose("normalization_type", &c.NormalizationType, "LN", normalizations); err != nil {
		return err
	}
	return choose("positional_embedding_type", &c.PositionalEmbeddingType, "learned", positions)
}

// HasUnembedBias reports whether the output has the parameter b_U.
func (c Config) HasUnembedBias() bool {
	return !c.Concatenates() && !c.TieUnembed && (c.UnembedBias == nil || *c.UnembedBias)
}

// resolveUnembed checks tie_unembed and unembed_bias, and sets UnembedBias to nil if it
// has its default value.
func (c Config) resolveUnembed() (Config, error) {
	asked := c.UnembedBias
	switch {
	case c.TieUnembed && c.Concatenates():
		return c, strict.Fieldf("tie_unembed", "= true has no meaning with residual: concat, where tokens have no "+
			"embedding; leave it out")
	case asked == nil:
		return c, nil
	case *asked && c.Concatenates():
		return c, strict.Fieldf("unembed_bias", "= true, but residual: concat has no biases; leave it out")
	case *asked && c.TieUnembed:
		return c, strict.Fieldf("unembed_bias",
			"= true, but with tie_unembed: true the output has no bias; leave it out")
	}
	c.UnembedBias = nil
	if c.HasUnembedBias() != *asked {
		c.UnembedBias = new(false)
	}
	return c, nil
}

// resolveHeads sets the number of heads of each layer.
func (c Config) resolveHeads() (Config, error) {
	if c.NLayers > largestCount {
		return c, strict.Fieldf("n_layers", "= %d is outside [1, %d]", c.NLayers, largestCount)
	}
	if len(c.NHeads) == 0 {
		return c, strict.Fieldf("n_heads", "is missing; give one number, or one for each layer")
	}
	if slices.Equal(c.NHeads, Heads{-1}) {
		if c.DHead < 1 || c.DModel%c.DHead != 0 {
			return c, strict.Fieldf("n_heads",
				"= -1 means d_model/d_head, but d_model = %d is not a multiple of d_head = %d",
				c.DModel, c.DHead)
		}
		c.NHeads = Heads{c.DModel / c.DHead}
	}
	c.NHeads = slices.Clone(c.NHeads)
	for len(c.NHeads) == 1 && c.NLayers > 1 {
		c.NHeads = slices.Repeat(c.NHeads, c.NLayers)
	}
	if len(c.NHeads) != c.NLayers {
		return c, strict.Fieldf("n_heads", "lists %d layers, but n_layers is %d", len(c.NHeads), c.NLayers)
	}
	for _, n := range c.NHeads {
		if n < 1 || n > largestCount {
			return c, strict.Fieldf("n_heads", "= %d is outside [1, %d]", n, largestCount)
		}
	}
	return c, nil
}

// resolveAdd completes [Config.Resolve] for networks with residual: add, whose heads are
// already resolved.
func (c Config) resolveAdd() (Config, error) {
	if c.DHead == 0 {
		most := slices.Max(c.NHeads)
		if c.DModel%most != 0 {
			return c, strict.Fieldf("d_head", "is missing, and d_model = %d is not a multiple of n_heads = %d",
				c.DModel, most)
		}
		c.DHead = c.DModel / most
	}
	if c.AttnScale != 0 && math.Abs(c.AttnScale-math.Sqrt(float64(c.DHead))) > 1e-6*c.AttnScale {
		return c, c.foreignScale()
	}
	c.AttnScale = 0
	if c.AttnOnly && c.DMLP != 0 {
		return c, strict.Fieldf("d_mlp", "= %d has no meaning with attn_only: true; leave it out", c.DMLP)
	}
	if c.DMLP == 0 && !c.AttnOnly {
		c.DMLP = 4 * c.DModel
	}
	widths := []field{{"d_head", c.DHead}}
	if !c.AttnOnly {
		widths = append(widths, field{"d_mlp", c.DMLP})
	}
	if err := positive(widths...); err != nil {
		return c, err
	}
	if err := c.chooseParts(); err != nil {
		return c, err
	}
	if c.PositionalEmbeddingType == "rotary" && c.DHead%2 != 0 {
		return c, strict.Fieldf("d_head",
			"= %d is odd; rotary positions rotate pairs of numbers, so give an even width", c.DHead)
	}
	if c.Eps == 0 {
		c.Eps = 1e-5
	}
	if !(c.Eps >= LeastEps && c.Eps <= 1) {
		return c, strict.Fieldf("eps", "= %v is outside [%v, 1]", c.Eps, LeastEps)
	}
	if c.InitializerRange == 0 {
		c.InitializerRange = 0.8 / math.Sqrt(float64(c.DModel))
	}
	if err := c.checkInitializerRange(); err != nil {
		return c, err
	}
	if n := c.parameters(); n > largestParameters {
		return c, strict.Fieldf("d_model", "= %d with %d layers makes %.1e parameters; the limit is %.1e",
			c.DModel, c.NLayers, n, float64(largestParameters))
	}
	return c, nil
}

func (c Config) foreignScale() error {
	return strict.Fieldf("attn_scale",
		"= %v needs residual: concat; otherwise scores are divided by √d_head: leave it out", c.AttnScale)
}

func (c Config) checkInitializerRange() error {
	if c.InitializerRange > 0 && c.InitializerRange <= 100 {
		return nil
	}
	return strict.Fieldf("initializer_range", "= %v is outside (0, 100]", c.InitializerRange)
}

// LeastEps is the smallest allowed value of a field that guards against division by zero,
// such as eps. In float32 a smaller number would itself be zero or nearly zero.
const LeastEps = 1e-37

// Limits on the sizes in a configuration. They are small enough that a product of a few
// sizes does not overflow a 64-bit int.
const (
	largest           = 1 << 20 // widths and lengths
	largestCount      = 1 << 12 // layers, and heads of a layer
	largestParameters = min(1<<40, math.MaxInt)
)

type field struct {
	path  string
	value int
}

func positive(fields ...field) error {
	for _, f := range fields {
		if f.value == 0 {
			return strict.Fieldf(f.path, "is missing; give a whole number in [1, %d]", largest)
		}
		if f.value < 1 || f.value > largest {
			return strict.Fieldf(f.path, "= %d is outside [1, %d]", f.value, largest)
		}
	}
	return nil
}

// choose fills in the default of a field that has a fixed list of values, and checks the
// field.
func choose(path string, value *string, fallback string, choices []string) error {
	if *value == "" {
		*value = fallback
	}
	if slices.Contains(choices, *value) {
		return nil
	}
	return strict.Fieldf(path, "= %s", strict.NotOneOf(*value, choices))
}

// Parameters returns the number of parameters (scalars) of a resolved configuration.
func (c Config) Parameters() int { return int(c.parameters()) }

func (c Config) parameters() float64 {
	n := 0.0
	for _, s := range new(Weights[float32]).slots(c) {
		size := 1.0
		for _, d := range s.shape {
			size *= float64(d)
		}
		n += size
	}
	return n
}

func (c Config) activation() kernel.Activation {
	switch c.ActFn {
	case "relu":
		return kernel.ReLU
	case "gelu":
		return kernel.GELU
	case "gelu_new":
		return kernel.GELUNew
	case "silu":
		return kernel.SiLU
	}
	panic("model: configuration is not resolved: act_fn is " + c.ActFn)
}
