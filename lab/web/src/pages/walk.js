// Walk: one forward pass, number by number. A weight is a field: what follows from it is
// computed again.
import {html} from '../html.js'
import {asked, ModelChoice, Sequence, useSequence} from '../model.js'
import {state} from '../state.js'
import {Choice, Command, Numbers, Problem, Save, Table, useAnswer} from '../ui.js'

// placeOf returns the name of a weight's number, such as blocks.0.mlp.W_in[0,3].
const placeOf = (matrix, i, j) => {
  let at = matrix.weight_offset + i * matrix.columns + j
  const indices = []
  for (const size of [...matrix.weight_shape].reverse()) {
    indices.unshift(at % size)
    at = Math.floor(at / size)
  }
  return `${matrix.weight}[${indices.join(',')}]`
}

const placeIn = change => change.slice(0, change.indexOf('='))

// setTo changes a weight, in place of an earlier change of the same one.
const setTo = (place, value) => {
  const at = state.set.value.findIndex(c => placeIn(c) === place), change = `${place}=${value}`
  state.set.value = at < 0 ? [...state.set.value, change] : state.set.value.with(at, change)
}

const decimals = 4

const shown = x => (x === null ? '−∞' : Math.abs(x) >= 1e5 || x !== 0 && Math.abs(x) < 1e-4 ? x.toExponential(2) : x.toFixed(decimals))

export const Walk = () => {
  const tokens = useSequence(), set = state.set.value
  const layer = state.layer.value < 0 ? {} : {layer: state.layer.value}
  const fields = tokens ? asked({tokens, ...layer, ...(set.length ? {set} : {})}) : null
  const walk = useAnswer('walk', fields)
  const original = useAnswer('walk', tokens && set.length ? asked({tokens}) : null)
  const whole = useAnswer('walk', tokens && set.length && layer.layer !== undefined ? asked({tokens, set}) : null)
  const look = useAnswer('look', tokens ? asked({tokens}) : null)
  const names = look.value?.names, d = walk.value
  return html`
    <h1>Walk</h1>
    <p>One forward pass, number by number: each step is a formula, the same with its numbers, and its result. Change a weight, and everything after it follows.</p>
    <div class="split">
      <section aria-label="Model and sequence"><${ModelChoice}/>
        <${Sequence} tokens=${tokens} names=${names}/>
        <${Layers} look=${look.value}/>
        <${Problem} text=${walk.error}/>
        <${Changes}/>
        <${Logits} before=${original.value} after=${layer.layer === undefined ? d : whole.value}/>
        <${Command} text=${walk.command}/>
        ${fields && html`<${Save} name="walk" fields=${fields} endings=${['.html', '.md', '.tex', '.json']}/>`}
      </section>
      <section class=${walk.busy ? 'walk busy' : 'walk'} aria-label="The forward pass">
        ${d && html`<h2>${d.title}</h2>
          <p class="sentence">Rows belong to the positions of the sequence. A matrix with more than ${d.size} rows or columns is shown by its shape and norm; save the page with a larger size on the command line (--size) to see it in full.</p>
          ${d.sections.map(s => html`<${Section} key=${s.title} section=${s} document=${d}/>`)}
          <${Attribution} of=${d.attribution}/>`}
      </section>
    </div>`
}

// Layers chooses one layer, or all.
const Layers = ({look}) => {
  const n = look?.patterns?.length ?? 0
  if (n < 2) return null
  return html`<${Choice} label="Layers to show" value=${String(state.layer.value)}
    options=${[['-1', 'all'], ...Array.from({length: n}, (_, l) => [String(l), 'layer ' + l])]}
    onChange=${l => { state.layer.value = Number(l) }}/>`
}

// Changes lists the changed weights.
const Changes = () => {
  const set = state.set.value
  if (!set.length) return html`<p class="sentence">No weight is changed. Weights are the numbers in fields.</p>`
  return html`<h2>Changed weights</h2>
    <ul class="changes">${set.map((change, i) => html`<li><code>${change}</code>
      <button type="button" aria-label=${'Undo ' + change} onClick=${() => { state.set.value = set.filter((_, k) => k !== i) }}>Undo</button></li>`)}</ul>
    <p><button type="button" onClick=${() => { state.set.value = [] }}>Undo all</button></p>`
}

// logitsOf returns the last row of the logits of a walk.
const logitsOf = d => d?.sections.flatMap(s => s.steps).findLast(s => s.hook === 'logits' || s.title === 'Logits')?.equations.at(-1).result.values.at(-1)

// Logits shows the logits after the last token, with and without the changes.
const Logits = ({before, after}) => {
  const now = logitsOf(after), was = logitsOf(before)
  if (!now || !state.set.value.length || !was) return null
  const name = z => after.names?.[z] ?? String(z)
  return html`<${Table} caption="Logits after the last token" columns=${['token', 'original', 'changed', 'difference']}
    rows=${now.map((x, z) => [name(z), shown(was[z]), shown(x), shown(x - was[z])])}/>`
}

const Section = ({section, document}) => html`<details open class="section"><summary>${section.title}</summary>
  ${section.steps.map(step => html`<${Step} key=${step.title + step.hook} step=${step} document=${document}/>`)}</details>`

const Step = ({step, document}) => html`<article><h3>${step.title}</h3>
  ${step.equations.map(e => html`<${Equation} equation=${e} document=${document}/>`)}
  <p class="sentence"><${Note} text=${step.note}/></p></article>`

// Note shows a sentence with code between backquotes.
const Note = ({text}) => (text ?? '').split('`').map((part, i) => (i % 2 ? html`<code>${part}</code>` : part))

// Equation shows a formula, its operands with their numbers, and its result.
const Equation = ({equation: e, document}) => {
  const rows = e.result.rows === document.tokens.length ? document.tokens.map(z => document.names?.[z] ?? String(z)) : null
  return html`<div class="equation"><p><code>${e.formula}</code></p>
    <div class="numbers">
      ${e.operands?.map(o => html`<${Matrix} matrix=${o} size=${document.size}/>`)}
      <span class="equals" aria-label="gives">=</span>
      <${Matrix} matrix=${e.result} size=${document.size} rows=${rows} result/>
    </div></div>`
}

// Matrix shows a matrix under its symbol; that of a weight can be edited.
const Matrix = ({matrix: m, size, rows, result}) => {
  if (m.rows > size || m.columns > size) {
    return html`<div class="matrix"><span>${m.symbol}</span><span class="large">${m.rows}×${m.columns}, norm ${m.norm === null ? '–' : shown(m.norm)}</span></div>`
  }
  const label = `${m.symbol}, ${m.rows} by ${m.columns}`
  const cell = (x, i, j) => (m.weight ? html`<${Weight} place=${placeOf(m, i, j)} value=${x}/>` : shown(x))
  return html`<div class=${result ? 'matrix result' : 'matrix'} role="region" tabindex="0" aria-label=${label}><table>
    <caption>${m.symbol}${m.weight ? html` <small>${m.weight}</small>` : ''}</caption>
    <tbody>${m.values.map((row, i) => html`<tr>${rows && html`<th scope="row">${rows[i]}</th>`}
      ${row.map((x, j) => html`<td>${cell(x, i, j)}</td>`)}</tr>`)}</tbody></table></div>`
}

// Weight is a number that can be changed.
const Weight = ({place, value}) => {
  const changed = state.set.value.some(c => placeIn(c) === place)
  return html`<input type="text" inputmode="decimal" class=${changed ? 'weight changed' : 'weight'} aria-label=${place} title=${`${place} = ${value}`}
    value=${shown(value)} onChange=${e => {
      if (e.target.value.trim() && e.target.value !== shown(value)) setTo(place, e.target.value.trim().replace('−', '-'))
      else e.target.value = shown(value)
    }}/>`
}

const Attribution = ({of}) => of ? html`<h2>What each part contributed</h2>
  <p class="sentence">The winning logit, of ${of.name ?? 'token ' + of.token} after position ${of.position}, is the sum ${shown(of.sum)} of its parts.</p>
  <${Numbers} caption="Parts of the winning logit" columns=${['part', 'value', 'formula']}
    rows=${of.parts.map(p => [p.component, shown(p.value), p.formula])}/>` : null
