// Runs: the table of runs, their curves over each other, and where they differ.
import {useEffect, useState} from 'preact/hooks'
import {Chart} from '../chart.js'
import {follow} from '../engine.js'
import {html} from '../html.js'
import {below} from '../model.js'
import {go, link, state} from '../state.js'
import {Command, Figure, nats, Problem, Table, useAnswer} from '../ui.js'

// pageSize is the number of runs that the table shows at once.
const pageSize = 100

// mostCompared is the largest number of runs in one figure, see lab/model_questions.go.
const mostCompared = 64

// nameOf returns the name, among names, of the run at a path.
const nameOf = (path, names) => names.find(name => path === name || path.endsWith('/' + name)) ?? path

// flat returns the cells of a run by column: what the command prints, with settings and
// results if it prints them.
const flat = (run, name) => ({
  run: name, process: run.process, step: run.step, steps: run.steps,
  state: run.problem ? 'unreadable' : run.diverged ? 'diverged' : run.complete ? 'complete' : run.steps ? 'not complete' : 'a model',
  ...run.settings, ...run.results,
})

const always = ['run', 'process', 'state', 'step', 'steps']

// columnsOf returns the columns: what every run has, then the settings in which the runs
// differ, then results.
const columnsOf = runs => {
  const names = part => [...new Set(runs.flatMap(r => Object.keys(r[part] ?? {})))]
  const differ = names('settings').filter(name =>
    new Set(runs.map(r => JSON.stringify(r.settings?.[name]))).size > 1)
  return [...always, ...differ, ...names('results')]
}

// compare orders two cells: numbers by value, texts by letters, nothing last.
const compare = (a, b) => {
  if (a === undefined || b === undefined) return (a === undefined) - (b === undefined)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b), 'en')
}

// sorted returns rows by a column; a name with a minus before it sorts down.
const sorted = (rows, by) => {
  const name = by.replace(/^-/, ''), sign = by.startsWith('-') ? -1 : 1
  return name ? [...rows].sort((a, b) => sign * compare(a[name], b[name])) : rows
}

const shown = value => (value === undefined ? '–' : typeof value === 'number' && !Number.isInteger(value)
  ? String(Number(value.toPrecision(5))) : typeof value === 'object' ? JSON.stringify(value) : String(value))

export const Runs = () => {
  const {value, command, error} = useAnswer('runs', {})
  const runs = value ?? []
  return html`<h1>Runs</h1>
    <p>Every training run in the folder of runs. Tick some to see their curves over each other, and where they differ.</p>
    <${Problem} text=${error}/>
    ${value && runs.length === 0 && html`<${Empty}/>`}
    ${runs.length > 0 && html`<${List} runs=${runs} name=${below(command)}/><${Command} text=${command}/>`}
    ${state.runs.value.length > 0 && html`<${Compared} names=${state.runs.value}/>`}`
}

const Empty = () => html`<p>There is no run yet. <a href=${link({page: 'train'})}
    onClick=${e => { e.preventDefault(); go({page: 'train'}) }}>Train one on the page Train</a>, or by a command:</p>
  <${Command} text="foretell train examples/mess3.yaml --out runs/first"/>`

const List = ({runs, name}) => {
  const columns = columnsOf(runs), rows = sorted(runs.map(r => flat(r, name(r.run))), state.sort.value)
  const from = Math.min(Math.max(0, state.from.value), Math.max(0, rows.length - 1)), part = rows.slice(from, from + pageSize)
  const turn = to => { state.from.value = to }
  return html`<div class="scroll tall" tabindex="0" role="region" aria-label="Runs">
    <table class="runs"><caption>${rows.length > pageSize
      ? `Runs ${from + 1} to ${from + part.length} of ${rows.length}` : `${rows.length} ${rows.length === 1 ? 'run' : 'runs'}`}</caption>
    <thead><tr><th scope="col">compare</th>${columns.map(name => html`<${Heading} name=${name}/>`)}<th scope="col">open in</th></tr></thead>
    <tbody>${part.map(row => html`<${Row} key=${row.run} row=${row} columns=${columns}/>`)}</tbody></table></div>
    ${rows.length > pageSize && html`<p class="row">
      <button type="button" disabled=${from === 0} onClick=${() => turn(Math.max(0, from - pageSize))}>Previous ${pageSize}</button>
      <button type="button" disabled=${from + pageSize >= rows.length} onClick=${() => turn(from + pageSize)}>Next ${pageSize}</button></p>`}`
}

const Heading = ({name}) => {
  const by = state.sort.value
  const order = by === name ? 'ascending' : by === '-' + name ? 'descending' : 'none'
  const sort = () => {
    state.sort.value = by === name ? '-' + name : name
    state.from.value = 0
  }
  return html`<th scope="col" aria-sort=${order}><button type="button" onClick=${sort}>${name}</button></th>`
}

const Row = ({row, columns}) => {
  const ticked = state.runs.value.includes(row.run)
  const full = !ticked && state.runs.value.length >= mostCompared
  const tick = () => {
    state.runs.value = ticked ? state.runs.value.filter(r => r !== row.run) : [...state.runs.value, row.run]
  }
  const visit = changes => e => { e.preventDefault(); go(changes) }
  const places = {Train: {page: 'train', run: row.run, step: -1}, Inside: {page: 'inside', model: row.run}, Walk: {page: 'walk', model: row.run}}
  return html`<tr><td><input type="checkbox" checked=${ticked} disabled=${full} onChange=${tick} aria-label=${'Compare ' + row.run}/></td>
    ${columns.map(name => (name === 'run' ? html`<th scope="row">${row.run}</th>`
      : html`<td>${name === 'step' && row.state === 'not complete' ? html`<${Step} row=${row}/>` : shown(row[name])}</td>`))}
    <td class="link">${Object.entries(places).map(([name, changes]) => html`<a href=${link(changes)} onClick=${visit(changes)}
      aria-label=${`Open ${row.run} in ${name}`}>${name}</a> `)}</td></tr>`
}

// following is the number of runs that the table follows at the same time; a browser has
// few connections to a server.
const following = 2
let followed = 0

// Step is how far a run is that is not complete. It moves while the run trains.
const Step = ({row}) => {
  const [progress, setProgress] = useState(null)
  useEffect(() => {
    if (followed >= following) return undefined
    followed++
    const stop = follow(row.run, () => {}, setProgress)
    return () => {
      followed--
      stop()
    }
  }, [row.run])
  return html`${progress?.state === 'training' ? `${progress.step}, training` : String(progress?.step ?? row.step)}`
}

const colours = ['link', 'ink', 'soft']
const dashes = [undefined, [6, 4], [2, 4], [10, 3, 2, 3]]

// steps returns the steps at which any run was evaluated, in order.
const stepsOf = runs => [...new Set(runs.flatMap(r => r.evaluations.map(e => e.step)))].sort((a, b) => a - b)

const Compared = ({names}) => {
  const fields = {runs: names}
  const {value, command, error} = useAnswer('curves', fields)
  const runs = value?.runs ?? []
  const known = runs.length > 0 && runs.every(r => r.evaluations.every(e => e.kl !== undefined))
  const field = known ? 'kl' : 'loss/eval'
  const x = stepsOf(runs)
  const series = runs.map((r, i) => {
    const at = new Map(r.evaluations.map(e => [e.step, e[field]]))
    return {
      name: nameOf(r.run, names), values: x.map(step => at.get(step) ?? null),
      colour: colours[i % colours.length], dash: dashes[Math.floor(i / colours.length) % dashes.length],
    }
  })
  const last = runs.map(r => ({name: nameOf(r.run, names), loss: r.evaluations.at(-1)[field]})).sort((a, b) => a.loss - b.loss)
  return html`<section aria-label="Comparison"><h2>${names.length === 1 ? names[0] : `${names.length} runs compared`}</h2>
    <button type="button" onClick=${() => { state.runs.value = [] }}>Untick all</button>
    <${Problem} text=${error}/>
    ${last.length > 0 && html`<${Chart} title=${known ? 'Above the floor' : 'Loss'} x=${x} series=${series} log=${known} xLabel="step" yLabel="nats a token" format=${nats}
      sentence=${`The lowest at its last evaluation is ${last[0].name}, with ${nats(last[0].loss)} nats a token${known ? ' above the best possible loss' : ''}.`}/>`}
    ${runs.length > 1 && html`<${Differences} names=${runs.map(r => nameOf(r.run, names))} settings=${value.settings}/>`}
    ${value && html`<${Command} text=${command}/>
    <details><summary>The figure of the command</summary><${Figure} name="curves" fields=${fields}
      alt=${'Learning curves of ' + names.join(', ')} endings=${['.svg', '.png', '.csv', '.html', '.json']}/></details>`}</section>`
}

const Differences = ({names, settings}) => (settings.length === 0
  ? html`<p>The configurations of these runs do not differ.</p>`
  : html`<${Table} caption="Settings that differ" className="differences" columns=${['setting', ...names]}
    rows=${settings.map(s => [s.setting, ...s.values])}/>`)
