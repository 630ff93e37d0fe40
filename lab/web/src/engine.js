// The boundary between the pages and the laboratory. Pages know nothing else of it. This
// backend asks a server over HTTP; another can answer in a Web Worker.

// Refused is an answer that is an error: one line for the reader.
export class Refused extends Error {
  constructor(message, status) {
    super(message)
    this.status = status
  }
}

const post = async (path, fields, signal) => {
  let response
  try {
    response = await fetch(path, {
      method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(fields), signal,
    })
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new Refused('The laboratory does not answer. Is foretell lab still running?', 0)
  }
  if (response.status === 204) throw new Refused('The run has not kept the weights of this step.', 204)
  if (response.ok) return response
  let message = `The laboratory answered with status ${response.status}.`
  try {
    message = (await response.json()).error ?? message
  } catch { /* the answer is not JSON */ }
  throw new Refused(message, response.status)
}

// ask returns the answer to a question, and the command line that prints the same value.
export const ask = async (name, fields, signal) => {
  const response = await post('ask/' + name, fields, signal)
  return {value: await response.json(), command: commandOf(response)}
}

const commandOf = response => JSON.parse(response.headers.get('Foretell-Command') ?? '""')

// file returns the answer to a question as a file, such as '.svg'.
export const file = async (name, ending, fields, signal) =>
  (await post('save/' + name + ending, fields, signal)).blob()

// styleSheet returns the rules of the pages as text.
export const styleSheet = async () => {
  const texts = [...document.styleSheets].map(async sheet => (await fetch(sheet.href)).text())
  return (await Promise.all(texts)).join('\n')
}

// act begins, pauses or resumes training.
export const act = async (name, fields) => (await post('do/' + name, fields)).json()

// points returns a cloud: its head (see CloudHead in lab/cloud.go), the colours, and for
// each layer the coordinates x, y, x, y, …, or x, y, z, … if it is spatial. word(i) is the
// list of tokens of a point, names(i) that of their names, lengths[i] their number.
export const points = async (fields, signal) => {
  const data = await (await post('points', fields, signal)).arrayBuffer()
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
// its progress changes. It returns a function that ends this. After a lost connection it
// continues where it was.
export const follow = (run, onRow, onProgress) => {
  const source = new EventSource('events?run=' + encodeURIComponent(run))
  source.addEventListener('row', event => onRow(JSON.parse(event.data)))
  source.addEventListener('progress', event => onProgress(JSON.parse(event.data)))
  return () => source.close()
}

// followReport calls onJob when the recomputation of a report's claims changes; report is
// the name of its folder. It returns a function that ends this.
export const followReport = (report, onJob) => {
  const source = new EventSource('events?report=' + encodeURIComponent(report))
  source.addEventListener('job', event => onJob(JSON.parse(event.data)))
  return () => source.close()
}
