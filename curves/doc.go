// Package curves shows how runs learned, side by side: their losses between chance and
// the floor, the share of the gap that is closed, and the divergence from the optimum, by
// step and by position.
//
//	c, err := curves.Read(ctx, "runs/first", "runs/second")
//	c.Name(curves.BySettings)
//	err = c.Forms("").Write(w, ".svg") // or .html, .csv, .json, or document.Terminal
//
// Each run is compared with the floor of the process that it learned. Losses are in nats
// per token.
package curves
