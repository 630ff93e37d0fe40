package intervene

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/strict"
	"foretell/model"
)

// All means every head or every position in a [Site].
const All = -1

// layout is the memory layout of an activation, for a batch of B sequences of T tokens
// and a model with d_model d, H heads and d_head h.
type layout int

const (
	byPosition    layout = iota // (B,T,d)
	byHead                      // (B,T,H,h)
	byDestination               // (B,H,T,T); a position has a row: its attention to each source
	appended                    // (B,T,(1+H)·d); heads are the columns after the first d
)

// hook is an activation that every layer has.
type hook struct {
	name   string // such as resid_mid
	suffix string // the end of the full hook name, after the layer, such as hook_resid_mid
	layout layout
}

var (
	residPre   = hook{"resid_pre", "hook_resid_pre", byPosition}
	attentionZ = hook{"z", "attn.hook_z", byHead}
	residPost  = hook{"resid_post", "hook_resid_post", byPosition}
	mlpPre     = hook{"mlp_pre", "mlp.hook_pre", byPosition}
	mlpPost    = hook{"mlp_post", "mlp.hook_post", byPosition}
)

// hooks are the hooks that layers can have, in the order of the forward pass. If layers
// have no attention z, the heads are columns of their residual stream.
var hooks = []hook{
	residPre,
	{"q", "attn.hook_q", byHead},
	{"k", "attn.hook_k", byHead},
	{"v", "attn.hook_v", byHead},
	{"rot_q", "attn.hook_rot_q", byHead},
	{"rot_k", "attn.hook_rot_k", byHead},
	{"attn_scores", "attn.hook_attn_scores", byDestination},
	{"pattern", "attn.hook_pattern", byDestination},
	attentionZ,
	{attentionZ.name, residPost.suffix, appended},
	{"attn_out", "hook_attn_out", byPosition},
	{"resid_mid", "hook_resid_mid", byPosition},
	mlpPre,
	mlpPost,
	{"mlp_out", "hook_mlp_out", byPosition},
	residPost,
}

// hooksOf lists the hooks of a model's layers in the order of the forward pass.
func hooksOf(c model.Config) (list []hook) {
	has := c.LayerHooks()
	for _, h := range hooks {
		if h.layout == appended && slices.Contains(has, attentionZ.suffix) {
			continue
		}
		if slices.Contains(has, h.suffix) {
			list = append(list, h)
		}
	}
	return list
}

// Hooks lists the names of the activations that every layer of a model with configuration
// c has, in the order of the forward pass. They are the possible values of the field Hook
// of [Site]. The configuration must be resolved ([model.Config.Resolve]).
func Hooks(c model.Config) (names []string) {
	for _, h := range hooksOf(c) {
		names = append(names, h.name)
	}
	return names
}

// HookNames lists all names that [Hooks] can return.
func HookNames() []string { return Hooks(model.Config{PositionalEmbeddingType: "rotary"}) }

// hookNamed returns the hook with the given name, which may begin with hook_: hook_z
// means z. It returns an error if the model has no such hook.
func hookNamed(c model.Config, name string) (hook, error) {
	list, short := hooksOf(c), strings.TrimPrefix(name, "hook_")
	if i := slices.IndexFunc(list, func(h hook) bool { return h.name == short }); i >= 0 {
		return list[i], nil
	}
	for _, h := range list {
		layer, of := strings.CutSuffix(name, h.suffix)
		if of && h.layout != appended && (layer == "" || strings.HasPrefix(layer, "blocks.")) {
			return hook{}, wrong("hooks are named without their layer; for %q write %q", name, h.name)
		}
	}
	meant := cmp.Or(strict.Meant(short, Hooks(c)), "they have "+strings.Join(Hooks(c), ", "))
	return hook{}, wrong("this model's layers have no hook %q; %s", name, meant)
}

// Named splits a full hook name: blocks.0.hook_resid_mid is resid_mid of layer 0. It
// also takes one of the names of [Hooks], which have no layer, and returns the layer
// [All]. It returns an error if the model has no such hook or layer.
func Named(c model.Config, name string) (hook string, layer int, err error) {
	rest, full := strings.CutPrefix(name, "blocks.")
	number, suffix, _ := strings.Cut(rest, ".")
	if layer, err = strconv.Atoi(number); !full || err != nil {
		h, err := hookNamed(c, name)
		return h.name, All, err
	}
	if layer < 0 || layer >= c.NLayers {
		return "", 0, wrong("%s: layer %d is outside [0, %d]", name, layer, c.NLayers-1)
	}
	var known []string
	for _, h := range hooksOf(c) {
		if h.suffix == suffix && h.layout != appended {
			return h.name, layer, nil
		}
		known = append(known, h.suffix)
	}
	meant := "they have " + strings.Join(Hooks(c), ", ")
	if near := strict.Nearest(suffix, known); near != "" {
		meant = fmt.Sprintf("did you mean \"blocks.%d.%s\"?", layer, near)
	}
	return "", 0, wrong("this model's layers have no hook %q; %s", name, meant)
}

// ByHead reports whether a hook has separate activations for each head. It returns an
// error if the model has no such hook.
func ByHead(c model.Config, name string) (bool, error) {
	h, err := hookNamed(c, name)
	return h.layout != byPosition, err
}

// ArgumentError is the error for invalid arguments: sequences that do not fit the model
// or cannot occur, or a hook, layer, head or position that the model does not have.
type ArgumentError struct{ Reason error }

func (e *ArgumentError) Error() string { return "intervene: " + e.Reason.Error() }

// Unwrap returns the reason.
func (e *ArgumentError) Unwrap() error { return e.Reason }

// wrong returns an [ArgumentError]. If one of its arguments is an ArgumentError, it uses
// the reason of that error, so that the message has the prefix "intervene: " only once.
func wrong(format string, args ...any) error {
	for i, arg := range args {
		if inner, ok := arg.(*ArgumentError); ok {
			args[i] = inner.Reason
		}
	}
	return &ArgumentError{fmt.Errorf(format, args...)}
}

// Site is an activation that an intervention replaces.
type Site struct {
	Hook     string `json:"hook"`     // one of [Hooks]
	Layer    int    `json:"layer"`    // from 0
	Head     int    `json:"head"`     // from 0; [All] for every head, and for a hook without heads
	Position int    `json:"position"` // from 0; [All] for every position
}

// String returns the site in the form that messages use: head 0.1, mlp_out 0, resid_pre 0
// at 2.
func (s Site) String() string {
	text := fmt.Sprintf("%s %d", s.Hook, s.Layer)
	if s.Head != All {
		text = fmt.Sprintf("%s %d.%d", s.Hook, s.Layer, s.Head)
		if s.Hook == "z" {
			text = fmt.Sprintf("head %d.%d", s.Layer, s.Head)
		}
	}
	if s.Position != All {
		text += fmt.Sprintf(" at %d", s.Position)
	}
	return text
}

// place is the location of a site's numbers in a pass.
type place struct {
	hook            string // the full hook name, with the layer
	layout          layout
	head, heads     int
	width, position int // width of one head's columns, if they are appended
}

// locate finds a site in a model, for sequences of the given length. It returns an error
// if the model has no such hook, layer, head or position.
func locate(c model.Config, s Site, length int) (place, error) {
	h, err := hookNamed(c, s.Hook)
	all := Site{s.Hook, s.Layer, s.Head, All}
	switch {
	case err != nil:
		return place{}, err
	case c.NLayers == 0:
		return place{}, wrong("%s: the model has no layers", all)
	case s.Layer < 0 || s.Layer >= c.NLayers:
		return place{}, wrong("%s: layer %d is outside [0, %d]", all, s.Layer, c.NLayers-1)
	case s.Position < All || s.Position >= length:
		return place{}, wrong("position %d is outside [0, %d]", s.Position, length-1)
	case s.Head != All && h.layout == byPosition:
		return place{}, wrong("%s: hook %s has no heads; leave the head out", all, h.name)
	}
	p := place{
		hook: fmt.Sprintf("blocks.%d.%s", s.Layer, h.suffix), layout: h.layout,
		head: s.Head, position: s.Position,
	}
	if h.layout == byPosition {
		return p, nil
	}
	p.heads, p.width = c.NHeads[s.Layer], c.Width(s.Layer)
	if s.Head < All || s.Head >= p.heads {
		return place{}, wrong("%s: head %d is outside [0, %d]", all, s.Head, p.heads-1)
	}
	return p, nil
}

// numbers returns how many numbers belong to a place that is at one position and, if the
// hook has heads, in one head.
func (p place) numbers(c model.Config, s Site) int {
	switch {
	case p.layout == byHead:
		return c.DHead
	case p.layout == byDestination:
		return s.Position + 1
	case p.layout == appended:
		return p.width
	case strings.HasSuffix(p.hook, mlpPre.suffix), strings.HasSuffix(p.hook, mlpPost.suffix):
		return c.DMLP
	case strings.HasSuffix(p.hook, residPost.suffix):
		return c.Width(s.Layer + 1)
	}
	return c.Width(s.Layer)
}

// rows calls f(t, from, to) for each part data[from:to] of an activation that belongs to
// the place, in sequence b of the batch. The argument t is the part's position in the
// sequence.
func (p place) rows(shape []int, b int, f func(t, from, to int)) {
	length := shape[1]
	if p.layout == byDestination {
		length = shape[2]
	}
	first, end := 0, length
	if p.position != All {
		first, end = p.position, p.position+1
	}
	for t := first; t < end; t++ {
		p.row(shape, b, t, func(from, to int) { f(t, from, to) })
	}
}

// row does the same as rows, for the single position t.
func (p place) row(shape []int, b, t int, f func(from, to int)) {
	first, heads := p.head, 1
	if p.head == All {
		first, heads = 0, p.heads
	}
	switch p.layout {
	case byPosition:
		d := shape[2]
		from := (b*shape[1] + t) * d
		f(from, from+d)
	case byHead:
		h := shape[3]
		from := ((b*shape[1]+t)*shape[2] + first) * h
		f(from, from+heads*h)
	case appended:
		from := (b*shape[1]+t)*shape[2] + (1+first)*p.width
		f(from, from+heads*p.width)
	case byDestination:
		T := shape[2]
		for k := range heads {
			from := ((b*shape[1]+first+k)*T + t) * T
			f(from, from+t+1) // later sources are masked
		}
	}
}
