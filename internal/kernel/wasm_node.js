// Runs a program for GOOS=js with the kernels of this folder:
//
//	GOOS=js GOARCH=wasm go test -tags wasmkernel -exec "node --stack-size=8192 $PWD/wasm_node.js" .
//
// It is Go's lib/wasm/wasm_exec_node.js, with the kernels as imports of the program.
// Node.js 20 has relaxed SIMD only with a flag.
"use strict"

const {execFileSync} = require("child_process")
const fs = require("fs")
const path = require("path")

if (!WebAssembly.validate(fs.readFileSync(path.join(__dirname, "relaxed.wasm")))) {
	require("v8").setFlagsFromString("--experimental-wasm-relaxed-simd")
}

globalThis.require = require
globalThis.fs = fs
globalThis.path = path
globalThis.crypto ??= require("crypto")
const root = execFileSync("go", ["env", "GOROOT"], {encoding: "utf8"}).trim()
require(path.join(root, "lib", "wasm", "wasm_exec.js"))
require("./kernel.js")

const go = new Go()
go.argv = process.argv.slice(2)
go.env = {TMPDIR: require("os").tmpdir(), ...process.env}
go.exit = process.exit
let program
const imports = {...go.importObject, foretell: foretellKernel(() => program.exports.mem)}
WebAssembly.instantiate(fs.readFileSync(process.argv[2]), imports).then(result => {
	program = result.instance
	process.on("exit", code => { // Node.js exits if no event handler is pending
		if (code === 0 && !go.exited) {
			go._pendingEvent = {id: 0} // a deadlock: Go prints it
			go._resume()
		}
	})
	return go.run(program)
}).catch(err => {
	console.error(err)
	process.exit(1)
})
