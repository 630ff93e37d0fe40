package inspect

import (
	"context"

	"foretell/intervene"
	"foretell/model"
	"foretell/process"
	"foretell/train"
)

// network is a transformer of any precision. Its methods compute in that precision.
type network interface {
	config() model.Config
	predict(s process.Sampler, word []int32) (*Prediction, error)
	look(*Look) error // fills in what the model computes
	generate(p process.Process, prompt []int32, g model.Generation) (*Continuation, error)
	patch(context.Context, process.Process, intervene.Pairs, intervene.Patching) (*intervene.Map, error)
	ablate(context.Context, *intervene.Words, intervene.Ablation) (*intervene.Damage, error)
	evaluate(context.Context, train.Test) (train.Measured, error)
	inFloat32() *model.Transformer[float32]
	inFloat64() *model.Transformer[float64]
}

// precise is the network of a transformer in the precision F.
type precise[F model.Float] struct{ *model.Transformer[F] }

func (n precise[F]) config() model.Config { return n.Config }

func (n precise[F]) predict(s process.Sampler, word []int32) (*Prediction, error) {
	return Predict(n.Transformer, s, word)
}

func (n precise[F]) generate(p process.Process, prompt []int32, g model.Generation) (*Continuation, error) {
	return generate(n.Transformer, p, prompt, g)
}

func (n precise[F]) patch(
	ctx context.Context, p process.Process, pairs intervene.Pairs, plan intervene.Patching,
) (*intervene.Map, error) {
	return intervene.Patch(ctx, n.Transformer, p, pairs, plan)
}

func (n precise[F]) ablate(
	ctx context.Context, words *intervene.Words, plan intervene.Ablation,
) (*intervene.Damage, error) {
	return intervene.Ablate(ctx, n.Transformer, words, plan)
}

func (n precise[F]) evaluate(ctx context.Context, t train.Test) (train.Measured, error) {
	return train.Measure(ctx, n.Transformer, t)
}

func (n precise[F]) inFloat32() *model.Transformer[float32] { return in[float32](n.Transformer) }

func (n precise[F]) inFloat64() *model.Transformer[float64] { return in[float64](n.Transformer) }

// in returns a transformer in the precision To: itself if it has that precision, else a
// copy.
func in[To, From model.Float](m *model.Transformer[From]) *model.Transformer[To] {
	if same, ok := any(m).(*model.Transformer[To]); ok {
		return same
	}
	return model.Convert[To](m)
}
