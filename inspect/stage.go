package inspect

import (
	"fmt"
	"strings"

	"foretell/model"
)

// stage returns the name of a stage in words; see [stageName].
func (p *Portrait) stage(hook string) string { return stageName(p.config, hook) }

// stageName returns the name of a stage of the residual stream in words, with the end of
// its hook name, as in "after attention (resid_mid)", or "layer 1 after the MLP
// (resid_post)" if the model has several layers. Other features keep their names.
func stageName(c model.Config, hook string) string {
	title := stageTitle(c, hook)
	if title == hook {
		return hook
	}
	return title + " (" + strings.TrimPrefix(hook[strings.LastIndexByte(hook, '.')+1:], "hook_") + ")"
}

// stageTitle is [stageName] without the hook name, for a narrow panel.
func stageTitle(c model.Config, hook string) string {
	layer, place, ok := stageOf(c, hook)
	switch {
	case !ok:
		return hook
	case c.NLayers > 1 && place != embedded:
		return fmt.Sprintf("layer %d %s", layer, place)
	}
	return place
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
