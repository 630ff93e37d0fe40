// The backend in this tab: the engine answers in a Web Worker, so that the pages need no
// server. foretell lab --export writes its files next to the pages.

// silent is what a reader can do if the backend does not answer.
export let silent = 'The engine of this page has ended. Load the page again.'

// script loads a script from the folder of the page.
const script = src => new Promise((resolve, reject) => {
  const element = document.createElement('script')
  element.onload = resolve
  element.onerror = () => reject(new Error(`${src} is missing from the folder of this page.`))
  element.src = src
  document.head.append(element)
})

// bytesOf returns the bytes of a text in Base64.
const bytesOf = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer

// fromDisk returns the worker and its files for a page that was opened from a disk, where
// browsers let a page load scripts and nothing else.
const fromDisk = async () => {
  await script('offline.js')
  const {engine, files} = globalThis.foretellFiles
  delete globalThis.foretellFiles
  return {
    url: URL.createObjectURL(new Blob([engine], {type: 'text/javascript'})),
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, bytesOf(text)])),
  }
}

// fromServer returns the same for a page on a web server.
const fromServer = async () => {
  const names = document.documentElement.dataset.files.split(' ')
  const files = await Promise.all(names.map(async name => {
    const response = await fetch(name)
    if (!response.ok) throw new Error(`${name} is missing from the folder of this page.`)
    return [name, await response.arrayBuffer()]
  }))
  return {url: 'engine.js', files: Object.fromEntries(files)}
}

const asked = new Map() // what waits for answers, by number
const followed = new Map() // handlers of events, by number
let last = 0

// receive takes a message of the worker.
const receive = ({data}) => {
  if (data.ended !== undefined) {
    for (const {reject} of asked.values()) reject(new Error(silent))
    asked.clear()
  } else if (data.event) {
    followed.get(data.id)?.[data.event]?.(JSON.parse(data.json))
  } else {
    asked.get(data.id)?.resolve(data)
    asked.delete(data.id)
  }
}

const start = async () => {
  const {url, files} = await (location.protocol === 'file:' ? fromDisk() : fromServer())
  const worker = new Worker(url)
  await new Promise((resolve, reject) => {
    worker.onmessage = ({data}) => (data.ready ? resolve() : reject(new Error(`The engine of this page has not begun: ${data.ended}`)))
    worker.onerror = event => reject(new Error(`The engine of this page has not begun: ${event.message}`))
    worker.postMessage({files}, Object.values(files))
  })
  worker.onmessage = receive
  worker.onerror = () => receive({data: {ended: ''}})
  return worker
}

let worker
// load returns a promise of the worker.
export const load = () => {
  worker ??= start().catch(error => {
    silent = error.message
    throw error
  })
  return worker
}

// request sends a request, and returns the answer: {status, command, body, kind}.
export const request = async (path, fields, signal) => {
  const worker = await load()
  signal?.throwIfAborted()
  const id = ++last
  const answer = new Promise((resolve, reject) => { asked.set(id, {resolve, reject}) })
  worker.postMessage({id, path, body: JSON.stringify(fields)})
  signal?.addEventListener('abort', () => {
    worker.postMessage({id, stop: true})
    asked.get(id)?.reject(signal.reason)
    asked.delete(id)
  })
  return answer
}

// listen calls handlers[event] for each event about a run, with its data. It returns a
// function that ends this.
export const listen = (of, handlers) => {
  const id = ++last
  followed.set(id, handlers)
  load().then(worker => followed.has(id) && worker.postMessage({id, follow: JSON.stringify({after: -1, ...of})}), () => {})
  return () => {
    followed.delete(id)
    load().then(worker => worker.postMessage({id, stop: true}), () => {})
  }
}

// styles returns the rules of the pages as text.
export const styles = async () => [...document.querySelectorAll('style')].map(e => e.textContent).join('\n')
