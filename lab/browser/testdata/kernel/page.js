"use strict"

// run returns the output and the exit status of a program that runs in a worker.
const run = (program, args, absent) => new Promise((resolve, reject) => {
	const worker = new Worker("worker.js")
	worker.onerror = event => reject(new Error(event.message))
	worker.onmessage = ({data}) => {
		worker.terminate()
		resolve(data)
	}
	worker.postMessage({program, args, absent})
})
