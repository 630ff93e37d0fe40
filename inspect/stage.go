package inspect

import (
	"fmt"
	"strings"

	"foretell/model"
)

// stage returns the name of a stage in words; see [stageName].
func (p *Portrait) stage(hook string) string { return stageName(p.config, hook) }

// stageTitle returns the name of a stage in words for a narrow panel, without its hook
// name.
func (p *Portrait) stageTitle(hook string) string {
	if place, ok := stagePlace(p.config, hook); ok {
		return place
	}
	return p.stage(hook)
}

// stageName returns the name of a stage of the residual stream in words, with the end of
// its hook name, as in "after attention (resid_mid)", or "layer 1 after the MLP
// (resid_post)" if the model has several layers. Other features keep their names.
func stageName(c model.Config, hook string) string {
	place, ok := stagePlace(c, hook)
	if !ok {
		return hook
	}
	return place + " (" + strings.TrimPrefix(hook[strings.LastIndexByte(hook, '.')+1:], "hook_") + ")"
}

// stagePlace returns where a stage of the residual stream is, as in "after attention", or
// "layer 1 after attention" if the model has several layers.
func stagePlace(c model.Config, hook string) (place string, ok bool) {
	layer, place, ok := stageOf(c, hook)
	if ok && c.NLayers > 1 && place != embedded {
		place = fmt.Sprintf("layer %d %s", layer, place)
	}
	return place, ok
}

// embedded is the name of the first stage, which does not belong to a layer.
const embedded = "embedding"

// stageOf returns the layer of a stage of the residual stream, and where in the layer it
// is, as in "after attention". ok is false if the hook is not such a stage.
func stageOf(c model.Config, hook string) (layer int, place string, ok bool) {
	var end string
	if n, err := fmt.Sscanf(hook, "blocks.%d.hook_resid_%s", &layer, &end); err != nil || n != 2 {
		return 0, "", false
	}
	switch {
	case end == "pre" && layer == 0:
		return 0, embedded, true
	case end == "pre":
		return layer, "before attention", true
	case end == "mid" || c.AttnOnly:
		return layer, "after attention", true
	}
	return layer, "after the MLP", true
}
