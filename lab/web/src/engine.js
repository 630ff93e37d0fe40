// The boundary between the pages and the laboratory. Pages know nothing else of it. A
// server answers over HTTP, or the engine in this tab.
import * as http from './http.js'
import * as tab from './tab.js'

// inTab says whether the engine is in this tab.
export const inTab = document.documentElement.dataset.engine === 'tab'

const backend = inTab ? tab : http

// loaded is a promise that is kept when the laboratory can answer.
export const loaded = backend.load()

// Refused is an answer that is an error: one line for the reader.
export class Refused extends Error {
  constructor(message, status) {
    super(message)
    this.status = status
  }
}

const jsonOf = bytes => JSON.parse(new TextDecoder().decode(bytes))

const post = async (path, fields, signal) => {
  let answer
  try {
    answer = await backend.request(path, fields, signal)
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Refused(backend.silent, 0)
  }
  if (answer.status === 204) throw new Refused('The run has not kept the weights of this step.', 204)
  if (answer.status === 200) return answer
  let message = `The laboratory answered with status ${answer.status}.`
  try {
    message = jsonOf(answer.body).error ?? message
  } catch { /* the answer is not JSON */ }
  throw new Refused(message, answer.status)
}

// ask returns the answer to a question, and the command line that prints the same value.
export const ask = async (name, fields, signal) => {
  const {body, command} = await post('ask/' + name, fields, signal)
  return {value: jsonOf(body), command}
}

// file returns the answer to a question as a file, such as '.svg'.
export const file = async (name, ending, fields, signal) => {
  const {body, kind} = await post('save/' + name + ending, fields, signal)
  return new Blob([body], {type: kind})
}

// styleSheet returns the rules of the pages as text.
export const styleSheet = () => backend.styles()

// act begins, pauses or resumes training.
export const act = async (name, fields) => jsonOf((await post('do/' + name, fields)).body)

// points returns a cloud: its head (see CloudHead in lab/cloud.go), the colours, and for
// each layer the coordinates x, y, x, y, …, or x, y, z, … if it is spatial. word(i) is the
// list of tokens of a point, names(i) that of their names, lengths[i] their number.
export const points = async (fields, signal) => {
  const {body: data} = await post('points', fields, signal)
  const size = new DataView(data).getUint32(0, true)
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size)))
  const n = head.points
  let at = 4 + size
  const take = (type, count) => {
    const list = new type(data, at, count)
    at += count * type.BYTES_PER_ELEMENT
    return list
  }
  const parents = take(Int32Array, n)
  const layers = head.layers.map(layer => ({...layer, at: take(Float32Array, (head.spatial ? 3 : 2) * n)}))
  const tokens = take(Uint16Array, n)
  const colours = take(Uint8Array, 3 * n)
  const lengths = new Uint16Array(n) // a sequence comes after its beginnings
  for (let i = 0; i < n; i++) lengths[i] = parents[i] < 0 ? 1 : lengths[parents[i]] + 1
  const word = i => {
    const list = []
    for (; i >= 0; i = parents[i]) list.unshift(tokens[i])
    return list
  }
  return {...head, layers, colours, lengths, word, names: i => word(i).map(z => head.tokens?.[z] ?? String(z))}
}

// follow calls onRow for each evaluation of a run, from the first, and onProgress when
// its progress changes. It returns a function that ends this.
export const follow = (run, onRow, onProgress) => backend.listen({run}, {row: onRow, progress: onProgress})

// followReport calls onJob when the recomputation of a report's claims changes; report is
// the name of its folder. It returns a function that ends this.
export const followReport = (report, onJob) => backend.listen({report}, {job: onJob})
