package lab

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"foretell/inspect"
	"foretell/probe"
)

// Cloud asks where sequences are in a plane: by the beliefs of a process or, if Model is
// set, also by what regressions read from the stages of a model's residual stream.
// Stages are hook names; none means all. The question portrait with the same
// length has the same R² for a stage, and its .csv the same points.
//
// With Components, the stages of the model are not read: each point has three
// coordinates, its activations along their first three principal components, as in the
// question portrait with Components.
type Cloud struct {
	Source
	Model  string   `json:"model,omitempty"`
	Stages []string `json:"stages,omitempty"`
	Length int      `json:"length,omitempty"` // tokens of the longest sequences; 0 for as long as possible
	Most   int      `json:"most,omitempty"`   // largest number of sequences; 0 for mostPoints

	Components bool `json:"components,omitempty"`
}

const (
	mostPoints = 100_000
	mostStages = 33
)

// CloudHead describes the numbers that follow it, see [Cloud.Encode].
type CloudHead struct {
	Process  string       `json:"process"`
	Target   string       `json:"target"`
	Tokens   []string     `json:"tokens"`             // names of the tokens
	Vertices []string     `json:"vertices,omitempty"` // names of the corners, if the points are in a triangle
	X        string       `json:"x,omitempty"`        // names of the axes, if not
	Y        string       `json:"y,omitempty"`
	Spatial  bool         `json:"spatial,omitempty"` // each point of a layer has x, y and z
	Points   int          `json:"points"`
	Length   int          `json:"length"` // tokens in the longest sequence
	Layers   []CloudLayer `json:"layers"`
	KL       float64      `json:"kl"` // mean over positions, nats; 0 without a model
}

// CloudLayer is a place for each point.
type CloudLayer struct {
	Name  string          `json:"name"`
	Stage string          `json:"stage,omitempty"` // hook name
	R2    *probe.Estimate `json:"r2,omitempty"`

	Shares []float64 `json:"shares,omitempty"` // of the variance along x, y and z
}

// placer finds points, and the names of the tokens.
type placer func(context.Context) (*inspect.Cloud, []string, error)

// open opens the model or the process. A run that trains may remove a step's weights at
// any time; a model that is open stays.
func (q *Cloud) open(e *Engine) (placer, error) {
	most := q.Most
	if most == 0 {
		most = mostPoints
	}
	err := cmp.Or(within("most", most, 1, mostPoints), within("length", q.Length, 0, mostTokens),
		within("number of stages", len(q.Stages), 0, mostStages))
	if err != nil {
		return nil, err
	}
	if q.Model != "" {
		m, err := Model{q.Model, q.Params}.open(e)
		if err != nil {
			return nil, err
		}
		place := m.Place
		if q.Components {
			place = m.PlaceComponents
		}
		return func(ctx context.Context) (*inspect.Cloud, []string, error) {
			c, err := place(ctx, q.Stages, q.Length, most)
			return c, m.Names(), err
		}, nil
	}
	if q.Components {
		return nil, errors.New("components are of a model; give one")
	}
	s, p, err := q.optimum(e)
	return func(ctx context.Context) (*inspect.Cloud, []string, error) {
		c, err := inspect.PlaceProcess(ctx, p, q.Length, most)
		return c, s.Process.Tokens(), err
	}, err
}

// Points answers the question in binary, little endian: the length of a [CloudHead] in
// bytes as uint32, this head in JSON, padded with spaces to a multiple of four bytes,
// and, for n points, the numbers
//
//	parents  n × int32     the point of the sequence without its last token, −1 for none
//	layers   n × 2 × float32 for each layer: x, y; n × 3 with z if it is spatial
//	tokens   n × uint16    the last token
//	colours  n × 3 × uint8 red, green, blue
func (e *Engine) Points(ctx context.Context, q *Cloud) ([]byte, error) {
	var place placer
	err := e.compute(ctx, func(context.Context) (err error) {
		place, err = q.open(e)
		return err
	})
	if err != nil {
		return nil, err
	}
	return e.looks.look(ctx, e, q.Model, func() (out []byte, err error) {
		err = e.compute(ctx, func(ctx context.Context) error {
			c, names, err := place(ctx)
			if err == nil {
				out, err = encode(c, names)
			}
			return err
		})
		return out, err
	})
}

func encode(c *inspect.Cloud, names []string) ([]byte, error) {
	head := CloudHead{
		Process: c.Process, Target: c.Target, Tokens: names, Vertices: c.Vertices, X: c.X, Y: c.Y,
		Points: len(c.Rows), Length: c.Words.Length, KL: c.KL, Spatial: c.Layers[0].At.Width == 3,
	}
	for _, l := range c.Layers {
		head.Layers = append(head.Layers, CloudLayer{l.Name, l.Stage, l.R2, l.Shares})
	}
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	out = append(out, text...)
	points := slices.Repeat([]int32{-1}, c.Words.Rows()) // the point of each row, −1 for none
	for i, row := range c.Rows {
		points[row] = int32(i)
		parent := int32(-1)
		if above := c.Words.Parent(row); above >= 0 {
			parent = points[above]
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(parent))
	}
	for _, l := range c.Layers {
		for _, x := range l.At.Data {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(x)))
		}
	}
	for _, row := range c.Rows {
		out = binary.LittleEndian.AppendUint16(out, uint16(c.Words.LastToken(row)))
	}
	for _, colour := range c.Colours {
		out = append(out, colour.R, colour.G, colour.B)
	}
	return out, nil
}
