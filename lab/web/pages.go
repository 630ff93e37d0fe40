//go:build pages

package web

import "embed"

//go:embed engine
var engine embed.FS

// Engine has engine/engine.wasm.gz, the engine for a page without a server, and
// engine/engine.js, the script of the worker that runs it. Package pack writes them. A
// program that was built without the tag pages lacks them.
func Engine() (fs embed.FS, ok bool) { return engine, true }
