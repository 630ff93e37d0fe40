// What a page shows is in its address, so that a link shows the same. This table is the
// only place that knows the names of the address's parameters: each field has a default,
// which the address leaves out, and a way to be read and written.
import {effect, signal} from '@preact/signals'

const text = (initial = '') => ({initial, read: s => s, write: v => v})
const choice = (...names) => ({initial: names[0], read: s => (names.includes(s) ? s : names[0]), write: v => v})
const whole = initial => ({
  initial, read: s => (/^-?\d{1,9}$/.test(s) ? Number(s) : initial), write: v => String(v),
})
const list = () => ({initial: [], read: s => (s ? s.split(';') : []), write: v => v.join(';')})
// angles are two whole numbers of degrees, as 30,-20.
const angles = (...initial) => ({
  initial, read: s => (/^-?\d{1,3},-?\d{1,3}$/.test(s) ? s.split(',').map(Number) : initial), write: v => v.join(','),
})
// params is a map of texts, as a=1;b=2.
const params = () => ({
  initial: {},
  read: s => Object.fromEntries(s.split(';').filter(p => p.indexOf('=') > 0).map(p => {
    const at = p.indexOf('=')
    return [p.slice(0, at), p.slice(at + 1)]
  })),
  write: v => Object.keys(v).sort().map(k => k + '=' + v[k]).join(';'),
})

export const fields = {
  page: choice('train', 'process', 'inside', 'walk', 'runs', 'papers', 'reproduce', 'lessons'),
  process: text('mess3'), params: params(), yaml: text(), tokens: text(), graph: text(),
  dials: params(), config: text(), name: text(), run: text(), step: whole(-1), stage: text(),
  model: text(), craft: params(), view: choice('predict', 'probe', 'steer', 'patch', 'ablate'),
  clean: text(), corrupt: text(), hook: text('resid_pre'), off: list(), ask: text(), with: choice('mean', 'zero', 'resample'),
  set: list(), layer: whole(-1),
  cloud: choice('read', 'space'), turn: angles(30, 20), only: whole(0), belief: text(),
  runs: list(), sort: text(), document: text(), profile: choice('quick', 'full', 'deep'), row: text(), from: whole(0),
  lesson: whole(0), part: whole(1), seed: whole(1),
}

// read returns the values of all fields for the query of an address.
export const read = query => {
  const given = new URLSearchParams(query)
  return Object.fromEntries(Object.entries(fields).map(([name, f]) =>
    [name, given.has(name) ? f.read(given.get(name)) : f.initial]))
}

// write returns the query of an address for values.
export const write = values => {
  const query = new URLSearchParams()
  for (const [name, f] of Object.entries(fields)) {
    const written = f.write(values[name])
    if (written !== f.write(f.initial)) query.set(name, written)
  }
  return query.toString()
}

const begin = read(location.search)

// state has a signal for each field.
export const state = Object.fromEntries(Object.keys(fields).map(name => [name, signal(begin[name])]))

const values = () => Object.fromEntries(Object.keys(fields).map(name => [name, state[name].value]))

// link returns the address of what is shown, with changes.
export const link = changes => '?' + write({...values(), ...changes})

// go shows something else; the browser's back button returns.
export const go = changes => {
  history.pushState(null, '', link(changes))
  for (const [name, value] of Object.entries(changes)) state[name].value = value
}

// The address follows the state, and the state follows the back button.
let timer
effect(() => {
  const query = write(values())
  clearTimeout(timer) // browsers refuse too many changes of the address
  timer = setTimeout(() => history.replaceState(null, '', query ? '?' + query : location.pathname), 200)
})
addEventListener('popstate', () => {
  const back = read(location.search)
  for (const name of Object.keys(fields)) state[name].value = back[name]
})
