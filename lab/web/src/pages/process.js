// Process: what generates the sequences, and what the best possible observer knows of it.
import {useEffect, useState} from 'preact/hooks'
import {Cloud, place} from '../cloud.js'
import {points} from '../engine.js'
import {html} from '../html.js'
import {go, state} from '../state.js'
import {Choice, Command, Figure, nats, Numbers, Problem, Slider, Text, useAnswer, useAsked} from '../ui.js'

// example is what a process of one's own begins with.
const example = `name: lazy
states: [A, B]
tokens: [heads, tails]
transitions:
  - {from: A, to: A, token: heads, p: 0.9}
  - {from: A, to: B, token: tails, p: 0.1}
  - {from: B, to: A, token: heads, p: 0.5}
  - {from: B, to: B, token: tails, p: 0.5}
`

// source returns the process of the address, as the engine names it.
export const source = () => (state.yaml.value ? {yaml: state.yaml.value}
  : {process: state.process.value, params: state.params.value})

// bounds returns the range of a slider for a range such as "(0, 0.5]" or "[1, 64]".
// A bound that is left out itself is not reached. null if there is none.
export const bounds = range => {
  const found = /^([[(])\s*(-?[\d.e+-]+),\s*(-?[\d.e+-]+)\s*([\])])/.exec(range ?? '')
  if (!found) return null
  const [, open, low, high, close] = found
  const step = (Number(high) - Number(low)) / 200
  return {
    min: Number(low) + (open === '(' ? step : 0), max: Number(high) - (close === ')' ? step : 0), step,
  }
}

const few = 3000, many = 100000 // points of a cloud while something moves, and at rest

export const Process = () => {
  const list = useAnswer('processes', {})
  const fields = source()
  const about = useAnswer('process', fields, 300)
  const known = about.value
  return html`
    <h1>Process</h1>
    <p>What a model has to predict. Move a parameter, or give tokens: the belief of the best possible observer follows.</p>
    <div class="split">
      <section aria-label="Which process">
        <${Choice} label="Process" value=${state.yaml.value ? '' : state.process.value}
          options=${[...(state.yaml.value ? [['', 'your own, below']] : []), ...(list.value ?? [{name: state.process.value}]).map(p => [p.name, p.name])]}
          onChange=${process => { state.yaml.value = ''; state.params.value = {}; state.tokens.value = ''; state.process.value = process }}/>
        <p class="sentence">${known?.summary}</p>
        ${state.yaml.value ? null : (known?.parameters ?? []).map(p => html`<${Parameter} p=${p}/>`)}
        <details open=${Boolean(state.yaml.value)}><summary>A process of your own, as YAML</summary>
          <label class="text"><span>States, tokens, and how one leads to the other</span>
          <textarea spellcheck=${false} value=${state.yaml.value || example} aria-invalid=${String(Boolean(state.yaml.value && about.error))}
            onInput=${e => { state.yaml.value = e.target.value }}></textarea></label>
          ${!state.yaml.value && html`<button type="button" onClick=${() => { state.yaml.value = example }}>Use this one</button>`}</details>
        <${Problem} text=${about.error}/>
        <p><button type="button" class="main" onClick=${() => go({page: 'train', run: '', config: ''})}>Train a model on it</button></p>
        <${Command} text=${about.command}/>
      </section>
      <section aria-label="What is known of it">
        <${Geometry} fields=${fields} known=${known}/>
        <${Along} fields=${fields} known=${known}/>
        <${Floor} fields=${fields}/>
        <${Facts} known=${known}/>
        <h2>Picture</h2>
        <${Figure} name="process" fields=${{...fields, graph: state.graph.value}} alt=${known ? `${known.name}: ${known.summary}` : 'The process'}
          endings=${['.svg', '.png', '.csv', '.html', '.dot']}/>
        <${Choice} label="What to draw" value=${state.graph.value} onChange=${graph => { state.graph.value = graph }}
          options=${[['', 'what fits best'], ['states', 'the hidden states'], ['beliefs', 'the beliefs, if they are finitely many'],
            ['geometry', 'optimal, constrained and linear beliefs'], ['attention', 'the attention that theory asks for']]}/>
      </section>
    </div>`
}

// Parameter is a slider for a number with a range, and a field for anything else.
const Parameter = ({p}) => {
  const given = state.params.value[p.name]
  const set = value => { state.params.value = {...state.params.value, [p.name]: value} }
  const value = given ?? (typeof p.value === 'object' ? JSON.stringify(p.value) : String(p.value))
  const range = typeof p.value === 'number' && bounds(p.range)
  const hint = `${p.summary}${p.range ? `, in ${p.range}` : ''}`
  return range
    ? html`<${Slider} label=${p.name} ...${range} value=${value} onInput=${set} hint=${hint}/>`
    : html`<${Text} label=${p.name} value=${value} onChange=${set} hint=${hint}/>`
}

// useCloud returns few points at once, and many when nothing has moved for a while.
const useCloud = fields => {
  const get = most => async signal => ({value: await points({...fields, most}, signal)})
  const quick = useAsked([few, fields], get(few), 0), whole = useAsked([many, fields], get(many), 600)
  const [shown, setShown] = useState(null)
  useEffect(() => { if (quick.value) setShown(quick.value) }, [quick.value])
  useEffect(() => { if (whole.value) setShown(whole.value) }, [whole.value])
  return {cloud: shown, error: quick.error}
}

// Geometry shows the beliefs after all sequences as points.
const Geometry = ({fields}) => {
  const {cloud, error} = useCloud(fields)
  const {value: trace} = useAnswer('beliefs', state.tokens.value && {...fields, tokens: state.tokens.value})
  if (!cloud) return html`<${Problem} text=${error}/>`
  const marks = [trace?.beliefs, trace?.constrained].map(rows => (cloud.vertices && rows?.length ? place(rows.at(-1)) : undefined))
  return html`<h2>Beliefs</h2>
    <div class="clouds">${cloud.layers.map((layer, i) => html`<${Cloud} cloud=${cloud} layer=${layer} title=${layer.name} mark=${marks[i]}
      onPick=${word => { state.tokens.value = word.join(',') }}/>`)}</div>
    <p class="sentence">Each point is a sequence, in the colour of its optimal belief. Click one to follow it.
      ${cloud.layers.length > 1 ? ' Constrained beliefs are the best that one layer of attention can build.' : ''}</p>
    <${Problem} text=${error}/>`
}

// Along shows what is known after each token that was given.
const Along = ({fields, known}) => {
  const tokens = known?.token_names ?? []
  const {value, error, command} = useAnswer('beliefs', known?.n_states ? {...fields, tokens: state.tokens.value} : null)
  const {value: drawn} = useAnswer('sample', known ? {...fields, number: 1, length: 12, seed: 1} : null, 400)
  const add = name => { state.tokens.value = [state.tokens.value, name].filter(Boolean).join(',') }
  const last = value?.beliefs?.length - 1
  return html`<h2>Along a sequence</h2>
    <div class="row"><${Text} label="Tokens" value=${state.tokens.value} onChange=${text => { state.tokens.value = text }} hint=${`such as ${tokens.slice(0, 2).join(',')}`}/>
      <span role="group" aria-label="Add a token">${tokens.slice(0, 16).map(name => html`<button type="button" onClick=${() => add(name)}>${name}</button> `)}</span>
      <button type="button" onClick=${() => { state.tokens.value = state.tokens.value.split(',').slice(0, -1).join(',') }}>Take one back</button>
      <button type="button" onClick=${() => { state.tokens.value = '' }}>Clear</button>
      ${drawn?.tokens && html`<button type="button" onClick=${() => { state.tokens.value = drawn.tokens[0].map(z => tokens[z]).join(',') }}>A sample</button>`}</div>
    <${Problem} text=${state.tokens.value ? error : ''}/>
    ${last >= 0 && html`<div class="tiles">
      <${Bars} title="Belief: which state it is in" names=${known.state_names} values=${value.beliefs[last]}/>
      <${Bars} title="The next token, at best" names=${tokens} values=${value.next[last]}/></div>
      <${Numbers} caption="After each token" columns=${['tokens', ...known.state_names.map(s => `belief in ${s}`), ...tokens.map(z => `next ${z}`)]}
        rows=${value.beliefs.map((belief, t) => [String(t), ...belief.map(x => x.toFixed(4)), ...value.next[t].map(x => x.toFixed(4))])}/>
      <${Command} text=${command}/>`}`
}

const mostBars = 24

// Bars shows probabilities.
const Bars = ({title, names, values}) => html`<div><h3>${title}</h3><div class="bars">${values.slice(0, mostBars).map((p, i) => html`
  <span>${names?.[i] ?? i}</span><meter min="0" max="1" value=${p} aria-label=${names?.[i] ?? String(i)}></meter><span>${p.toFixed(3)}</span>`)}</div>
  ${values.length > mostBars && html`<p class="sentence">and ${values.length - mostBars} more, in the table</p>`}</div>`

// Floor shows the least possible loss at each position.
const Floor = ({fields}) => {
  const {value, error, command} = useAnswer('floor', fields, 100)
  if (!value) return html`<${Problem} text=${error}/>`
  return html`<h2>The least possible loss</h2>
    <dl class="facts"><div><dt>Chance, nats a token</dt><dd>${nats(value.chance)}</dd></div>
      <div><dt>At position 1</dt><dd>${nats(value.floor[0])}</dd></div>
      <div><dt>At position ${value.floor.length}</dt><dd>${nats(value.floor.at(-1))}</dd></div>
      <div><dt>In the limit</dt><dd>${nats(value.entropy_rate)}</dd></div></dl>
    <${Figure} name="floor" fields=${fields} alt=${`The floor falls from ${nats(value.floor[0])} nats at position 1 to ${nats(value.floor.at(-1))} at position ${value.floor.length}.`}/>
    <${Numbers} caption="Floor by position" columns=${['position', 'nats']} rows=${value.floor.map((h, t) => [String(t + 1), nats(h)])}/>
    <${Command} text=${command}/>`
}

// Facts shows what else is known.
const Facts = ({known}) => {
  if (!known) return null
  const facts = [
    ['Hidden states', known.n_states], ['Tokens', known.n_tokens], ['Entropy rate, nats', known.entropy_rate && nats(known.entropy_rate)],
    ['Excess entropy, nats', known.excess_entropy !== undefined ? nats(known.excess_entropy) : undefined],
    ['Recurrent beliefs', known.beliefs?.recurrent],
    ['Heads that one layer needs', known.spectrum?.heads?.belief],
    ['Greatest accuracy', known.ceiling && (100 * known.ceiling.accuracy).toFixed(1) + ' %'],
  ].filter(([, value]) => value !== undefined && value !== null)
  return html`<h2>Facts</h2><dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
    ${(known.rules ?? []).map(rule => html`<p class="sentence">${rule}</p>`)}`
}
