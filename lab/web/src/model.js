// Which model a page looks at, and along which sequence.
import {useEffect, useState} from 'preact/hooks'
import {follow} from './engine.js'
import {html} from './html.js'
import {state} from './state.js'
import {Choice, Problem, Text, useAnswer} from './ui.js'

const crafted = model => model.startsWith('craft:')

// longest is the largest n_ctx that a page proposes for a hand-written model.
const longest = 64

// asked returns the fields of a question about the model, or null if none is chosen.
export const asked = more => {
  const model = state.model.value
  if (!model) return null
  return crafted(model) ? {model, params: state.craft.value, ...more} : {model, ...more}
}

// useKept returns the steps that a run keeps.
const useKept = run => {
  const [kept, setKept] = useState([])
  useEffect(() => {
    setKept([])
    return run ? follow(run, () => {}, progress => setKept(progress.kept)) : undefined
  }, [run])
  return kept
}

// below returns a function from the path of a run, as `foretell runs list FOLDER` prints
// it, to its name below that folder.
export const below = command => {
  const folder = command.replace(/^foretell runs list /, '').replace(/^'(.*)'$/, '$1').replace(/^\.\//, '').replace(/\/+$/, '')
  return path => (path.startsWith(folder + '/') ? path.slice(folder.length + 1) : path)
}

const choose = (model, crafts) => {
  const ctx = crafts?.find(c => c.model === model)?.params.n_ctx
  state.model.value = model
  state.craft.value = ctx > longest ? {n_ctx: String(longest)} : {}
  state.tokens.value = state.clean.value = state.corrupt.value = ''
  state.set.value = state.off.value = []
  state.belief.value = ''
}

// ModelChoice chooses a run, one of its steps, or a hand-written model with parameters.
export const ModelChoice = () => {
  const runs = useAnswer('runs', {}), crafts = useAnswer('crafts', {})
  const model = state.model.value, [run, step] = crafted(model) ? ['', ''] : model.split('@')
  const kept = useKept(run)
  const found = (runs.value ?? []).map(r => below(runs.command)(r.run)), written = (crafts.value ?? []).map(c => c.model)
  useEffect(() => {
    if (!state.model.value && runs.value && crafts.value) choose(found.at(-1) ?? written[0], crafts.value)
  }, [runs.value, crafts.value])
  const chosen = crafted(model) ? model : run
  const options = [...new Set([...found, ...written, ...(chosen ? [chosen] : [])])]
  const params = crafts.value?.find(c => c.model === model)?.params
  return html`
    <${Choice} label="Model: a run, or one written by hand" value=${chosen} options=${options}
      onChange=${name => choose(name, crafts.value)}/>
    ${run && kept.length > 0 && html`<${Choice} label="Step of training" value=${step ?? ''}
      options=${[['', 'the latest'], ...kept.map(s => [String(s), 'step ' + s])]}
      onChange=${s => { state.model.value = s ? `${run}@${s}` : run }}/>`}
    ${params && html`<details open><summary>Parameters of ${model}</summary>
      ${Object.entries(params).map(([name, usual]) => html`<${Text} label=${name}
        value=${state.craft.value[name] ?? JSON.stringify(usual).replaceAll('"', '')}
        onChange=${v => { state.craft.value = {...state.craft.value, [name]: v} }}/>`)}</details>`}
    <${Problem} text=${runs.error ?? crafts.error}/>`
}

// useSequence returns the sequence as text. If none is given, it is one of the process.
export const useSequence = () => {
  const run = crafted(state.model.value) ? '' : state.model.value.split('@')[0]
  const {value} = useAnswer('sample', run && !state.tokens.value ? {run, number: 1, length: 3, seed: 1} : null)
  return state.tokens.value || (run ? value?.tokens[0].join(',') ?? '' : '0')
}

const mostButtons = 32

// Sequence is the line of tokens, to be typed or clicked.
export const Sequence = ({tokens, names}) => {
  const add = name => { state.tokens.value = tokens ? tokens + ',' + name : name }
  const list = tokens.split(',')
  return html`
    <${Text} label="Sequence: tokens, with commas between" value=${tokens} onChange=${v => { state.tokens.value = v }}/>
    <p class="row keys" role="group" aria-label="Tokens to add">
      ${names?.length <= mostButtons && names.map(name => html`<button type="button" aria-label=${'Add the token ' + name} onClick=${() => add(name)}>${name}</button>`)}
      <button type="button" disabled=${list.length < 2} onClick=${() => { state.tokens.value = list.slice(0, -1).join(',') }}>Remove the last</button>
    </p>`
}
