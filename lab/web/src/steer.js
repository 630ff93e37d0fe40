// Steering by hand: the belief that a regression reads is moved, and the prediction is seen
// to follow, or not.
import {useRef} from 'preact/hooks'
import {Bars} from './bars.js'
import {place} from './cloud.js'
import {html} from './html.js'
import {asked} from './model.js'
import {state} from './state.js'
import {Choice, Command, nats, Numbers, percent, Problem, Save, Slider, Table, useAnswer, useSize} from './ui.js'

const digits = 3 // of a belief in the address

// rounded returns probabilities with few digits, and the sum 1.
export const rounded = belief => {
  const list = belief.map(x => Math.max(0, Math.round(x * 10 ** digits)))
  const most = list.indexOf(Math.max(...list))
  list[most] += 10 ** digits - list.reduce((a, b) => a + b)
  return list.map(x => x / 10 ** digits)
}

// withPart returns a belief whose part i is x. The others keep their ratios.
export const withPart = (belief, i, x) => {
  const rest = belief.reduce((sum, y, k) => (k === i ? sum : sum + y), 0)
  return rounded(belief.map((y, k) => (k === i ? x : rest > 0 ? y * (1 - x) / rest : (1 - x) / (belief.length - 1))))
}

// beliefAt returns the belief at a point of the triangle, or the nearest one in it.
export const beliefAt = ([x, y]) => {
  const c = y / (Math.sqrt(3) / 2), b = x - c / 2
  const inside = [1 - b - c, b, c].map(p => Math.max(0, p)), sum = inside.reduce((p, q) => p + q)
  return rounded(inside.map(p => p / sum))
}

const step = 0.02 // by which an arrow key moves the belief in the triangle

// Triangle is a belief over three states, to be dragged or moved with the arrow keys. read
// is what the regression reads of the activation as it is.
const Triangle = ({states, belief, read, onMove}) => {
  const [ref, width] = useSize(320), dragging = useRef(false)
  const side = width * 0.86, left = (width - side) / 2, bottom = side * Math.sqrt(3) / 2 + 24
  const at = ([x, y]) => [left + side * x, bottom - side * y]
  const [x, y] = at(place(belief)), corners = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(b => at(place(b)))
  const move = event => {
    const box = event.currentTarget.getBoundingClientRect()
    onMove(beliefAt([(event.clientX - box.left - left) / side, (bottom - event.clientY + box.top) / side]))
  }
  const press = event => {
    dragging.current = true
    event.currentTarget.setPointerCapture(event.pointerId)
    move(event)
  }
  const key = event => {
    const by = {ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step]}[event.key]
    if (!by) return
    event.preventDefault()
    const [px, py] = place(belief)
    onMove(beliefAt([px + by[0], py + by[1]]))
  }
  const other = read && at(place(read))
  const said = states.map((s, i) => `${s} ${belief[i]}`).join(', ')
  return html`<figure class="triangle" ref=${ref}>
    <svg width=${width} height=${bottom + 24} role="img" tabindex="0" aria-label=${`The belief: ${said}. Arrow keys move it.`} onKeyDown=${key}
      onPointerDown=${press} onPointerMove=${event => dragging.current && move(event)} onPointerUp=${() => { dragging.current = false }}
      onPointerCancel=${() => { dragging.current = false }}>
      <path d=${'M' + corners.map(c => c.join(' ')).join('L') + 'Z'}/>
      ${corners.map((c, i) => html`<text x=${c[0]} y=${c[1] + (i === 2 ? -8 : 18)} text-anchor=${['start', 'end', 'middle'][i]}>${states[i]}</text>`)}
      ${other && html`<line x1=${other[0]} y1=${other[1]} x2=${x} y2=${y}/><circle class="was" cx=${other[0]} cy=${other[1]} r="5"/>`}
      <circle class="now" cx=${x} cy=${y} r="8"/></svg>
    <figcaption>The belief to move to. Drag the disc; the ring is what is read now.</figcaption></figure>`
}

const moves = {shortest: 'the shortest', likeliest: 'the likeliest'}

// verdict says whether the prediction follows.
const verdict = (before, after) => {
  if (before.kl < 1e-4) return 'The prediction is already the best one for this belief.'
  const share = 1 - after.kl / before.kl
  return share > 0.5 ? `The prediction follows: the move takes away ${percent(share)} of the distance to the best prediction for this belief.`
    : share > 0.05 ? `The prediction follows in part: the move takes away ${percent(share)} of the distance to the best prediction for this belief.`
      : share > -0.05 ? 'The prediction hardly changes: the model does not use this direction.'
        : 'The prediction moves away from the best one for this belief.'
}

// Steer is the view of a model, after a sequence.
export const Steer = ({tokens, look}) => {
  const stages = look.value?.lens ?? [], moved = state.belief.value
  const fields = more => tokens && asked({tokens, ...(state.stage.value ? {stage: state.stage.value} : {}), ...more})
  const start = useAnswer('steer', fields({})), after = useAnswer('steer', moved && fields({belief: moved}))
  const shown = moved ? after : start, value = shown.value ?? start.value
  const choose = html`<${Choice} label="Stage whose activation is moved" value=${state.stage.value} options=${[['', 'the last'], ...stages.map(s => [s.stage, s.name])]}
    onChange=${stage => { state.stage.value = stage }}/>`
  const head = html`<h2>Move the belief</h2>
    <p class="sentence">A regression reads a belief from the activation after the last token. Move that belief: the activation is changed so that the regression reads
      the new one, and the rest of the model runs on. If the model predicts from this belief, its prediction follows.</p>`
  if (!value) return html`${head}<${Problem} text=${shown.error ?? start.error}/>`
  const given = moved.split(',').map(Number), n = value.states.length
  const belief = moved && given.length === n && given.every(isFinite) ? given : rounded(value.true_belief ?? value.belief)
  const set = to => { state.belief.value = to.join(',') }
  const [before, ...made] = value.moves, likeliest = made.find(m => m.name === 'likeliest')
  return html`${head}${choose}
    <div class="tiles"><div>
      ${n === 3 && html`<${Triangle} states=${value.states} belief=${belief} read=${before.read} onMove=${set}/>`}
      ${value.states.map((s, i) => html`<${Slider} label=${'Belief in ' + s} min="0" max="1" step="0.005" value=${belief[i]}
        onInput=${x => set(withPart(belief, i, Math.max(0, Math.min(1, Number(x)))))}/>`)}
      <p class="row"><button type="button" disabled=${!moved} onClick=${() => { state.belief.value = '' }}>Back to the true belief</button></p></div>
      <div><h3>The next token</h3>
        <p class="sentence">Bars: the model after the likeliest move. Lines: the best prediction for the belief.</p>
        <${Bars} names=${value.names} model=${likeliest.model} optimal=${value.optimal}/>
        <p class="sentence steered" role="status">${verdict(before, likeliest)}</p></div></div>
    <${Problem} text=${shown.error}/>
    <${Table} caption="KL from the best prediction for the belief to the model's" columns=${['move', 'its length', 'KL, nats', ...value.states.map(s => `reads ${s}`)]}
      rows=${value.moves.map(m => [moves[m.name] ?? 'none', m.distance.toFixed(4), nats(m.kl), ...m.read.map(x => x.toFixed(4))])}/>
    <p class="sentence">The likeliest move is how activations differ on average when the regression reads the other belief. The shortest may use a direction in which
      activations hardly vary and which the model ignores. The regression reads with R² ${value.r2.mean.toFixed(4)}.</p>
    <${Numbers} caption="The next token: numbers" columns=${['token', 'best', ...value.moves.map(m => moves[m.name] ?? 'no move')]}
      rows=${value.names.map((name, z) => [name, value.optimal[z]?.toFixed(6) ?? '–', ...value.moves.map(m => m.model[z].toFixed(6))])}/>
    <${Command} text=${shown.command}/>
    <${Save} name="steer" fields=${fields(moved ? {belief: moved} : {})} endings=${['.svg', '.png', '.csv', '.html']}/>`
}
