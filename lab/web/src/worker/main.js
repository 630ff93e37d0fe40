// The worker with the engine (foretell/lab/tab). It gets its files first, then requests.
// Go's wasm_exec.js and the kernels of internal/kernel stand before it in engine.js.
import {keep, memory} from './memory.js'

globalThis.fs = memory
globalThis.process = {...globalThis.process, cwd: () => '/', pid: 1, ppid: 0, umask: () => 0}

// soon calls a function after what has arrived meanwhile.
const channel = new MessageChannel(), later = []
channel.port1.onmessage = () => later.shift()()
globalThis.soon = f => {
  later.push(f)
  channel.port2.postMessage(0)
}

const stops = new Map() // functions that give up, by number

// unzipped returns a program, which a server may have decompressed already.
const unzipped = async bytes => {
  if (new Uint8Array(bytes)[0] !== 0x1f) return bytes
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()
}

const program = 'engine.wasm.gz'

const begin = async files => {
  for (const [name, bytes] of Object.entries(files)) {
    if (name !== program) keep(name, new Uint8Array(bytes))
  }
  memory.mkdir('tmp', 0, () => {})
  const go = new globalThis.Go()
  go.env = {TMPDIR: '/tmp', HOME: '/'}
  let instance
  const kernels = globalThis.foretellKernel(() => instance.exports.mem)
  const found = await WebAssembly.instantiate(await unzipped(files[program]), {...go.importObject, foretell: kernels})
  instance = found.instance
  globalThis.ready = () => postMessage({ready: true})
  await go.run(instance)
  postMessage({ended: 'it has ended'})
}

const request = ({id, path, body}) => {
  stops.set(id, globalThis.foretell.request(path, body, (status, kind, command, bytes) => {
    postMessage({id, status, kind, command, body: bytes.buffer}, [bytes.buffer])
    stop(id)
  }))
}

// stop gives up a request or events. It also frees what the engine keeps for it.
const stop = id => {
  queueMicrotask(() => {
    stops.get(id)?.()
    stops.delete(id)
  })
}

onmessage = ({data}) => {
  if (data.files) begin(data.files).catch(error => postMessage({ended: error.message}))
  else if (data.stop) stop(data.id)
  else if (data.follow) stops.set(data.id, globalThis.foretell.follow(data.follow, (event, _, json) => postMessage({id: data.id, event, json})))
  else request(data)
}
