//go:build pages

package web

import "embed"

//go:embed engine
var engine embed.FS

// Engine has engine/engine.wasm.gz, the engine for a page without a server,
// engine/engine.js, the script of the worker that runs it, and engine/LICENSES.txt, with
// the licence of each linked module. Package pack writes them. A program that was built
// without the tag pages lacks them.
func Engine() (fs embed.FS, ok bool) { return engine, true }
