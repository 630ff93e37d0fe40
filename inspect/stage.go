package inspect

import (
	"fmt"
	"strings"

	"foretell/model"
)

// stage returns the name of a stage in words; see [stageName].
func (p *Portrait) stage(hook string) string { return stageName(p.config, hook) }

// stageTitle returns the name of a stage for a narrow panel. In a model of several
// layers, where names are longer, it leaves out the end of the hook name.
func (p *Portrait) stageTitle(hook string) string {
	if place, ok := stagePlace(p.config, hook); ok && p.config.NLayers > 1 {
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

// stagePlace returns where a stage of the residual stream is, as in "after attention".
func stagePlace(c model.Config, hook string) (place string, ok bool) {
	var layer int
	var end string
	if n, err := fmt.Sscanf(hook, "blocks.%d.hook_resid_%s", &layer, &end); err != nil || n != 2 || c.Flat() {
		return "", false
	}
	switch {
	case end == "pre" && layer == 0:
		return "embedding", true
	case end == "pre":
		place = "before attention"
	case end == "mid" || c.AttnOnly || c.Concatenates():
		place = "after attention"
	default:
		place = "after the MLP"
	}
	if c.NLayers > 1 {
		place = fmt.Sprintf("layer %d %s", layer, place)
	}
	return place, true
}
