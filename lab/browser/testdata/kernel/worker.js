// Runs a Go program with the kernels, and sends its output and exit status.
"use strict"

importScripts("wasm_exec.js", "kernel.js")

onmessage = async ({data: {program, args, absent}}) => {
	const go = new Go()
	const lines = []
	let status = 0
	console.log = line => lines.push(line)
	go.argv = [program, ...args]
	go.exit = code => { status = code }
	let instance
	const kernels = foretellKernel(() => instance.exports.mem)
	if (absent) {
		kernels.load = () => 0
	}
	const found = await WebAssembly.instantiateStreaming(fetch(program), {...go.importObject, foretell: kernels})
	instance = found.instance
	await go.run(instance)
	postMessage({status, output: lines.join("\n")})
}
