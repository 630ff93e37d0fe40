// The backend over HTTP: a server answers, see foretell lab.

// request sends a request, and returns the answer: {status, command, body, kind}.
export const request = async (path, fields, signal) => {
  const response = await fetch(path, {
    method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(fields), signal,
  })
  return {
    status: response.status, kind: response.headers.get('Content-Type') ?? '', body: await response.arrayBuffer(),
    command: JSON.parse(response.headers.get('Foretell-Command') ?? '""'),
  }
}

// silent is what a reader can do if the backend does not answer.
export const silent = 'The laboratory does not answer. Is foretell lab still running?'

// listen calls handlers[event] for each event about a run or a report, with its data. It
// returns a function that ends this. After a lost connection it continues where it was.
export const listen = (of, handlers) => {
  const source = new EventSource('events?' + new URLSearchParams(of))
  for (const [event, handle] of Object.entries(handlers)) source.addEventListener(event, e => handle(JSON.parse(e.data)))
  return () => source.close()
}

// styles returns the rules of the pages as text.
export const styles = async () => {
  const texts = [...document.styleSheets].map(async sheet => (await fetch(sheet.href)).text())
  return (await Promise.all(texts)).join('\n')
}

// load returns a promise that is kept when the backend can answer.
export const load = () => Promise.resolve()
