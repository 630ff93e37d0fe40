// Train: a model learns a process, next to the exact truth of what there is to learn.
import {useEffect, useRef, useState} from 'preact/hooks'
import {Head} from '../attention.js'
import {Chart} from '../chart.js'
import {Cloud} from '../cloud.js'
import {act, follow, inTab, points} from '../engine.js'
import {html} from '../html.js'
import {go, link, state} from '../state.js'
import {cloudFields, CloudView, printing, viewOf} from '../view.js'
import {Choice, Command, nats, percent, Problem, Save, Slider, Text, useAnswer} from '../ui.js'

// dials are the settings that a slider moves, with their place in the configuration.
const dials = [
  {key: 'd_model', part: 'model', label: 'Width (d_model)', min: 4, max: 128, step: 4, value: 64},
  {key: 'n_layers', part: 'model', label: 'Layers', min: 1, max: 4, step: 1, value: 1},
  {key: 'n_heads', part: 'model', label: 'Heads in a layer', min: 1, max: 4, step: 1, value: 1},
  {key: 'n_ctx', part: 'model', label: 'Tokens in a sequence (n_ctx)', min: 2, max: 32, step: 1, value: 10},
  {key: 'lr', part: 'train', label: 'Learning rate', min: 0.0001, max: 0.02, step: 0.0001, value: 0.001},
  {key: 'num_steps', part: 'train', label: 'Steps', min: 100, max: 20000, step: 100, value: 3000},
  {key: 'seed', part: 'train', label: 'Seed', min: 1, max: 100, step: 1, value: 1},
]

const standard = Object.fromEntries(dials.map(d => [d.key, String(d.value)]))

// looks is the number of times that the page sees the model during training.
const looks = 60

// configuration returns the YAML of a process and of dials. The weights are kept at each
// look, for the slider of time.
const configuration = (process, dial) => {
  const every = Math.max(1, Math.round(dial.num_steps / looks))
  return `process: ${process}
model:
  d_model: ${dial.d_model}
  n_layers: ${dial.n_layers}
  n_heads: ${dial.n_heads}
  d_mlp: ${4 * dial.d_model}
  n_ctx: ${dial.n_ctx}
  normalization_type: LN
  initializer_range: 0.02
train:
  seed: ${dial.seed}
  batch_size: 128
  num_steps: ${dial.num_steps}
  lr: ${dial.lr}
  lr_schedule: cosine
  evaluate_every: ${every}
  checkpoint_every: ${every}
  checkpoints: all
`
}

// inYAML returns the process of the page Process as YAML: on one line, or indented below
// its key if it is the reader's own.
const inYAML = (name, params, yaml) => {
  if (yaml) return '\n' + yaml.trimEnd().split('\n').map(line => '  ' + line).join('\n')
  const list = Object.entries(params).map(([key, value]) => `${key}: ${value}`)
  return list.length ? `{name: ${name}, params: {${list.join(', ')}}}` : `{name: ${name}}`
}

// useRun follows a run: its evaluations and its progress.
export const useRun = name => {
  const [rows, setRows] = useState([])
  const [progress, setProgress] = useState(null)
  const [of, setOf] = useState(name) // the run of these
  useEffect(() => {
    setOf(name)
    setRows([])
    setProgress(null)
    if (!name) return undefined
    // Events come in bursts after a connection; one update of the page serves them all.
    let waiting = []
    const stop = follow(name, row => {
      if (waiting.push(row) > 1) return
      queueMicrotask(() => {
        const list = waiting
        waiting = []
        setRows(all => [...all.filter(r => r.step < list[0].step), ...list])
      })
    }, setProgress)
    return stop
  }, [name])
  return of === name ? [rows, progress] : [[], null]
}

// learned returns the share of what can be learned that an evaluation has reached.
const learned = row => row.gap_closed

// verdict says in a sentence what the evaluations show.
const verdict = rows => {
  const last = rows.at(-1), share = learned(last)
  if (rows.length < 8) return `Step ${last.step}: ${percent(share)} of what can be learned.`
  const before = rows[Math.floor(rows.length * 2 / 3)], gained = share - learned(before)
  const steps = last.step - before.step
  return `${percent(share)} of what can be learned; the last ${steps} steps ` +
    (Math.abs(gained) < 0.001 ? 'brought nothing.' : `brought ${(100 * gained).toFixed(1)} points.`)
}

// useTraining returns what begins and ends training runs: begin(fields) shows the run that
// has begun, doing(work) keeps the error of work, and started is what begin has begun.
export const useTraining = () => {
  const [error, setError] = useState('')
  const [started, setStarted] = useState(null)
  const doing = async work => {
    setError('')
    try {
      await work()
    } catch (failed) {
      setError(failed.message)
    }
  }
  const begin = fields => doing(async () => {
    const begun = await act('train', fields)
    setStarted(begun)
    go({run: begun.run, step: -1})
  })
  return {begin, doing, error, started}
}

// Acts are the buttons that begin, pause and continue a run, and what came of them.
export const Acts = ({label, onPlay, name, progress, by}) => html`<p class="row">
    <button type="button" class="main" onClick=${onPlay}>${label}</button>
    ${progress?.state === 'training' && html`<button type="button" onClick=${() => by.doing(() => act('pause', {run: name}))}>Pause</button>`}
    ${progress?.state === 'paused' && html`<button type="button" onClick=${() => by.doing(() => act('resume', {run: name}))}>Continue</button>`}
  </p>
  <${Problem} text=${by.error || progress?.problem}/>
  <${Command} text=${by.started?.command}/>`

export const Train = () => {
  const dial = {...standard, ...state.dials.value}
  const byHand = state.config.value
  const name = state.run.value
  const by = useTraining()
  const [rows, progress] = useRun(name)
  const yaml = byHand || configuration(inYAML(state.process.value, state.params.value, state.yaml.value), dial)
  const play = () => by.begin(state.name.value ? {yaml, name: state.name.value} : {yaml})
  const branch = rate => by.begin({yaml, init: `${name}@${shownStep(progress)}`, set: [`train.lr=${rate}`]})
  return html`
    <h1>Train</h1>
    <p>A transformer learns to predict a process whose best possible prediction is known.</p>
    <div class="split">
      <section aria-label="What to train">
        ${byHand ? null : html`<${Chosen}/>`}
        ${byHand ? null : dials.map(d => html`<${Slider} ...${d} value=${dial[d.key]}
          onInput=${value => { state.dials.value = {...state.dials.value, [d.key]: value} }}/>`)}
        <details open=${Boolean(byHand)}><summary>The configuration, as YAML</summary>
          <label class="text"><span>Edit it to set anything; the sliders return when it is empty</span>
          <textarea spellcheck=${false} value=${yaml} onChange=${e => { state.config.value = e.target.value }}></textarea></label></details>
        <${Text} label="Name of the run" value=${state.name.value} onChange=${v => { state.name.value = v.trim() }}
          hint="empty for one that follows from the configuration"/>
        <${Acts} label="Train" onPlay=${play} name=${name} progress=${progress} by=${by}/>
      </section>
      <section aria-label="What it has learned" aria-live="off">
        ${name ? html`<${Learning} name=${name} rows=${rows} progress=${progress} onBranch=${branch}/>`
          : html`<p>Press Train. In some seconds you see beliefs of the best possible observer appear in the
            activations of the model, which has only been asked for the next token.</p>
            <p>Or let <a href=${link({page: 'reproduce'})} onClick=${e => { e.preventDefault(); go({page: 'reproduce'}) }}>a figure
            of a paper</a> train itself again, to the bits of the printed one.</p>`}
      </section>
    </div>`
}

// Chosen names the process, and where to change it.
const Chosen = () => {
  const {value} = useAnswer('processes', {})
  const params = Object.entries(state.params.value).map(([k, v]) => `${k} = ${v}`).join(', ')
  const look = event => {
    event.preventDefault()
    go({page: 'process'})
  }
  if (state.yaml.value) return html`<p>Process: your own, from the page <a href=${link({page: 'process'})} onClick=${look}>Process</a></p>`
  return html`<${Choice} label="Process" value=${state.process.value}
      options=${(value ?? [{name: state.process.value}]).map(p => p.name)}
      onChange=${process => { state.process.value = process; state.params.value = {} }}/>
    <p class="sentence">${params || 'with its usual parameters'}; <a href=${link({page: 'process'})}
      onClick=${look}>look at it and move them</a></p>`
}

const shownStep = progress => (state.step.value >= 0 ? state.step.value : progress?.kept?.at(-1) ?? 0)

// Learning shows the evaluations of a run, and its clouds. onBranch, which begins another
// run with a learning rate, may be left out.
export const Learning = ({name, rows, progress, onBranch}) => {
  const last = rows.at(-1)
  if (!last) return html`<p>${progress?.state === 'training' ? 'The training run begins …' : progress?.problem ? '' : `Nothing is known of ${name} yet.`}</p>`
  const known = last.floor !== undefined
  const x = rows.map(r => r.step)
  const series = [{name: 'loss', values: rows.map(r => r['loss/eval']), colour: 'link'}]
  if (known) {
    series.push({name: 'floor, the best possible', values: rows.map(r => r.floor), colour: 'ink', dash: [6, 4]})
    series.push({name: 'chance', values: rows.map(r => r.chance), colour: 'soft', dash: [2, 4]})
  }
  const rate = progress?.tokens_per_second > 0 && Math.round(progress.tokens_per_second).toLocaleString('en') + ' tokens/s'
  const charts = html`
    <${Chart} title="Loss" x=${x} series=${series} xLabel="step" yLabel="nats a token"
      sentence=${known ? verdict(rows) : 'The best possible loss is not known.'} format=${nats}/>
    ${known && html`<${Chart} title="Above the floor" x=${x} log series=${[{name: 'KL', values: rows.map(r => r.kl), colour: 'link'}]}
      xLabel="step" yLabel="nats a token" format=${nats}
      sentence=${'On a logarithmic axis: each line down is a tenth.'}/>`}
    <${Command} text=${progress && `foretell plot ${progress.path}`}/>
    <${Save} name="curves" fields=${{runs: [name]}} endings=${['.svg', '.png', '.csv', '.html']}/>`
  return html`
    <h2>${name}</h2>
    <dl class="facts">
      <div><dt>Learned of what can be learned</dt><dd class="learned">${known ? percent(learned(last)) : '–'}</dd></div>
      <div><dt>Loss, nats a token</dt><dd>${nats(last['loss/eval'])}</dd></div>
      <div><dt>Floor</dt><dd>${nats(last.floor)}</dd></div>
      <div><dt>Above the floor</dt><dd>${known ? nats(last.kl) : '–'}</dd></div>
      <div><dt>Step</dt><dd>${last.step} of ${progress?.steps ?? '…'}</dd></div>
      <div><dt>${rate ? progress.state : 'State'}</dt><dd>${rate || (progress?.state ?? '…')}</dd></div>
    </dl>
    ${progress?.state === 'complete' && html`<${Bits} name=${name}/>`}
    ${progress?.kept?.length > 0 ? html`<${Folding} name=${name} progress=${progress} onBranch=${onBranch}>${charts}<//>` : charts}`
}

// Bits says which weights a complete run has.
const Bits = ({name}) => {
  const {value, command} = useAnswer('run', {run: name})
  return value?.weights && html`<p class="sentence">The weights have the SHA-256 <code class="bits">${value.weights.sha256}</code>.
    The same configuration leads to the same bits on every machine, also in a browser.</p>
    <${Command} text=${command}/>`
}

// mostPoints is the number of sequences in the clouds of a run that does not train. For
// all sequences of ten tokens, the one thread of a tab's engine would take two seconds,
// and ten in a browser without relaxed multiply-adds.
const mostPoints = inTab ? 12000 : 100000

// Folding shows where the stages of the model put the sequences, and what its heads attend
// to, at the latest look or at the step that the slider of time chooses. The charts are
// between the two.
const Folding = ({name, progress, onBranch, children}) => {
  const kept = progress.kept, step = shownStep(progress)
  const [rate, setRate] = useState('0.0003')
  const wanted = {model: `${name}@${step}`, most: progress.state === 'training' ? 3500 : mostPoints, ...cloudFields()}
  const {cloud, error} = useCloud(wanted)
  const at = Math.max(0, kept.indexOf(step))
  return html`
    ${cloud && html`<${CloudView} cloud=${cloud}/>`}
    <div class="clouds">${cloud?.layers.map(layer => html`<${Cloud} cloud=${cloud} layer=${layer} title=${layer.name} ...${viewOf(cloud)}
      onPick=${word => go({page: 'inside', model: `${name}@${step}`, tokens: word.join(',')})}/>`)}</div>
    <${Problem} text=${error}/>
    <label class="slider"><span>Time: step ${step}${state.step.value < 0 ? ', the latest' : ''}</span>
      <input type="range" min="0" max=${kept.length - 1} value=${at} aria-label="Step of the model shown"
        onInput=${e => { const i = Number(e.target.value); state.step.value = i === kept.length - 1 ? -1 : kept[i] }}/></label>
    <${Command} text=${`foretell probe ${progress.path}@${step}` + (progress.state === 'training' || inTab ? ` --length ${cloud?.length ?? ''}` : '') + printing()}/>
    ${onBranch && html`<details><summary>Branch here, with another learning rate</summary>
      <div class="row"><${Text} label="Learning rate" value=${rate} onChange=${setRate}/>
      <button type="button" onClick=${() => onBranch(rate)}>Train from step ${step}</button></div></details>`}
    ${children}
    ${cloud && html`<${Attending} name=${name} step=${step} length=${Math.min(attended, cloud.length)}/>`}`
}

const attended = 8 // tokens of the sequence whose attention is shown

// Attending shows what each head attends to along one sequence of the process, at a step.
const Attending = ({name, step, length}) => {
  const {value: drawn} = useAnswer('sample', {run: name, number: 1, length, seed: 1})
  const tokens = drawn?.tokens[0].join(',')
  const {value, command, error} = useAnswer('look', tokens && {model: `${name}@${step}`, tokens})
  if (!value?.patterns) return html`<${Problem} text=${error}/>`
  const seen = value.tokens.map(z => value.names[z])
  return html`<h3>Attention on the sequence ${seen.join(' ')}</h3>
    <p class="sentence">A row for each token, reading down; a stronger colour is more. <a href=${link({page: 'inside', model: `${name}@${step}`, tokens})}>Look inside</a> for other sequences.</p>
    <div class="heads small">${value.patterns.flatMap((heads, layer) => heads.map((pattern, h) =>
      html`<${Head} name=${`${layer}.${h}`} pattern=${pattern} seen=${seen}/>`))}</div>
    <${Command} text=${command}/>
    <${Save} name="look" fields=${{model: `${name}@${step}`, tokens}} endings=${['.svg', '.png', '.csv']}/>`
}

// useCloud keeps the last cloud until the next one is there, and asks for one at a time:
// while the model trains, looks that would come too late are left out.
const useCloud = wanted => {
  const [found, setFound] = useState({})
  const asking = useRef(false), next = useRef(null)
  const ask = async fields => {
    asking.current = true
    try {
      setFound({cloud: await points(fields)})
    } catch (error) {
      const late = error.status === 204 && state.step.value < 0 // a later step comes
      setFound(last => ({...last, error: late ? undefined : error.message}))
    }
    asking.current = false
    if (next.current) {
      const fields = next.current
      next.current = null
      ask(fields)
    }
  }
  useEffect(() => {
    if (asking.current) next.current = wanted
    else ask(wanted)
  }, [JSON.stringify(wanted)])
  return found
}
