// Inside: what a model does with a sequence, next to the best that can be done.
import {useRef} from 'preact/hooks'
import {Chart} from '../chart.js'
import {Cloud, pointOf} from '../cloud.js'
import {points} from '../engine.js'
import {Head} from '../attention.js'
import {html} from '../html.js'
import {Bars} from '../bars.js'
import {asked, ModelChoice, Sequence, useSequence} from '../model.js'
import {Steer} from '../steer.js'
import {state} from '../state.js'
import {CloudView, cloudFields, viewOf} from '../view.js'
import {Choice, Command, Figure, nats, Numbers, percent, Problem, Save, Table, Text, useAnswer, useAsked} from '../ui.js'

const views = {predict: 'Predict', probe: 'Read beliefs', steer: 'Steer', patch: 'Patch', ablate: 'Take away'}

export const Inside = () => {
  const tokens = useSequence()
  const look = useAnswer('look', tokens && asked({tokens}))
  const View = {predict: Predict, probe: Probe, steer: Steer, patch: Patch, ablate: Ablate}[state.view.value]
  return html`
    <h1>Inside</h1>
    <p>What a model does with a sequence, next to the best that can be done with it.</p>
    <div class="split">
      <section aria-label="Model and sequence"><${ModelChoice}/>
        <${Sequence} tokens=${tokens} names=${look.value?.names}/>
        <${Problem} text=${look.error}/></section>
      <section aria-label="What is inside"><${Tabs}/>
        <div role="tabpanel" id="view" aria-labelledby=${'tab-' + state.view.value} tabindex="0">
        <${View} tokens=${tokens} look=${look.error ? {} : look}/></div></section>
    </div>`
}

// Tabs chooses the view. Arrow keys move among the tabs.
const Tabs = () => {
  const ref = useRef(null), names = Object.keys(views)
  const onKeyDown = event => {
    const at = names.indexOf(state.view.value), end = names.length - 1
    const to = {ArrowRight: at === end ? 0 : at + 1, ArrowLeft: at === 0 ? end : at - 1, Home: 0, End: end}[event.key]
    if (to === undefined) return
    event.preventDefault()
    state.view.value = names[to]
    ref.current.children[to].focus()
  }
  return html`<div class="tabs" role="tablist" aria-label="Views" ref=${ref} onKeyDown=${onKeyDown}>
    ${names.map(name => html`<button type="button" role="tab" id=${'tab-' + name} aria-controls="view"
      aria-selected=${String(state.view.value === name)} tabindex=${state.view.value === name ? 0 : -1}
      onClick=${() => { state.view.value = name }}>${views[name]}</button>`)}</div>`
}

const Predict = ({tokens, look}) => {
  const fields = tokens && asked({tokens})
  const {value, command, error} = useAnswer('predict', fields)
  const names = look.value?.names
  if (!value || !names) return html`<${Problem} text=${look.value && error}/>`
  return html`
    <h2>The next token</h2>
    <p class="sentence">${value.optimal ? `The bars are the model's probabilities, the lines the best possible ones. KL from the optimum to the model: ${nats(value.kl)} nats; 0 is perfect.`
      : 'The best possible prediction after this sequence is not known.'}</p>
    <${Bars} names=${names} model=${value.model} optimal=${value.optimal}/>
    <${Problem} text=${error}/>
    <${Numbers} caption="The next token: numbers" columns=${['token', 'model', 'optimal']}
      rows=${names.map((name, z) => [name, value.model[z].toFixed(6), value.optimal?.[z]?.toFixed(6) ?? '–'])}/>
    <${Command} text=${command}/>
    <${Save} name="predict" fields=${fields} endings=${['.svg', '.png', '.csv', '.html']}/>
    <${Along} look=${look} fields=${fields}/>`
}

// Along shows the whole sequence: KL by position, attention, and the logit lens.
const Along = ({look: {value, command}, fields}) => {
  const seen = value.tokens.map(z => value.names[z]), kl = value.kl_by_position
  const known = kl.filter(x => x !== null)
  return html`
    ${known.length > 0 && html`<${Chart} title="KL by position" x=${kl.map((_, t) => t)} xLabel="position, from 0" yLabel="nats" format=${nats}
      series=${[{name: 'KL', values: kl, colour: 'link'}]}
      sentence=${`After the last token ${nats(kl.at(-1))} nats; the largest is ${nats(Math.max(...known))}, after position ${kl.indexOf(Math.max(...known))}.`}/>`}
    ${value.patterns && html`<h2>Attention</h2>
      <p class="sentence">A row for each token, reading down. It shows which earlier tokens the head attends to; a stronger colour is more.</p>
      <div class="heads">${value.patterns.flatMap((heads, layer) => heads.map((pattern, h) =>
        html`<${Head} name=${`${layer}.${h}`} pattern=${pattern} seen=${seen}/>`))}</div>`}
    ${value.lens && html`<h2>Logit lens</h2>
      <p class="sentence">What the model would predict if it ended at each stage: the likeliest token${known.length ? ', and the KL from the optimum' : ''}.</p>
      <${Table} caption="Logit lens: stages by positions" columns=${['stage', ...seen.map((name, t) => `${t}: ${name}`)]}
        rows=${value.lens.map(s => [s.name, ...s.likeliest.map((z, t) => value.names[z] + (s.lens_kl_by_position[t] === null ? '' : ` (${nats(s.lens_kl_by_position[t])})`))])}/>`}
    <${Command} text=${command}/>
    <${Save} name="look" fields=${fields} endings=${['.svg', '.png', '.csv', '.html']}/>`
}

const mostPoints = 12000

// found returns the point of a sequence, or −1.
const found = (cloud, tokens) => {
  const wanted = String(tokens)
  for (let i = 0; i < cloud.points; i++) if (String(cloud.word(i)) === wanted) return i
  return -1
}

const Probe = ({look}) => {
  const fields = asked({most: mostPoints, ...cloudFields(), ...(state.stage.value ? {stages: [state.stage.value]} : {})})
  const {value: cloud, error} = useAsked(['cloud', fields], fields && (async signal => ({value: await points(fields, signal)})))
  const at = cloud && look.value ? found(cloud, look.value.tokens) : -1
  const stages = look.value?.lens ?? []
  return html`
    <h2>Beliefs in the activations</h2>
    <p class="sentence">Each point is a sequence. The first picture is the truth: the beliefs of the best possible observer. The others are ${state.cloud.value === 'space'
        ? 'the model’s activations themselves' : 'what a regression reads from the model’s activations'}. Click a point to look at its sequence; the ring is the present one${cloud && look.value && at < 0 ? ', which is not among those drawn' : ''}.</p>
    <${Choice} label="Stage of the residual stream" value=${state.stage.value} options=${[['', 'all'], ...stages.map(s => [s.stage, s.name])]}
      onChange=${stage => { state.stage.value = stage }}/>
    <${Problem} text=${error}/>
    ${cloud && html`<${CloudView} cloud=${cloud}/>`}
    <div class="tiles clouds">${cloud?.layers.map(layer => html`<${Cloud} cloud=${cloud} layer=${layer} title=${layer.name} ...${viewOf(cloud)}
      mark=${at < 0 ? undefined : pointOf(cloud, layer, at)}
      onPick=${word => { state.tokens.value = word.join(',') }}/>`)}</div>
    ${cloud && html`<${Portrait} length=${cloud.length}/>`}`
}

const mean = list => list.reduce((sum, x) => sum + x, 0) / list.length

// Portrait compares R² with controls. It takes seconds, so it is asked by a button.
const Portrait = ({length}) => {
  const fields = state.ask.value === 'portrait' ? asked({length, ...cloudFields()}) : null
  const {value, command, error, busy} = useAnswer('portrait', fields)
  if (!fields) {
    return html`<p class="row"><button type="button" onClick=${() => { state.ask.value = 'portrait' }}>Compare with controls</button>
      <small class="sentence">Takes some seconds: are beliefs read from an untrained model as well?</small></p>`
  }
  if (!value) return html`<p role="status">${busy ? 'Probing the model and untrained ones …' : ''}</p><${Problem} text=${error}/>`
  return html`<h2>With controls</h2>
    <p class="sentence">R² says how well beliefs are read: 1 is exactly. Where an untrained model does as well, training has not put them there.</p>
    <${Problem} text=${error}/>
    <${Table} caption="R² by stage" columns=${['stage', 'R²', 'error', 'untrained (mean)', 'shuffled']}
      rows=${value.stages.map(s => [s.stage, s.r2?.mean.toFixed(5) ?? '–', s.r2?.error.toExponential(1) ?? '–',
        s.r2_random_init?.length ? mean(s.r2_random_init).toFixed(5) : '–', s.r2_shuffled?.mean.toFixed(5) ?? '–'])}/>
    <${Command} text=${command}/>
    <${Save} name="portrait" fields=${fields} endings=${['.svg', '.png', '.csv', '.html']}/>`
}

const Patch = ({tokens, look}) => {
  const clean = state.clean.value || tokens, corrupt = state.corrupt.value
  const fields = corrupt && asked({clean, corrupt, hook: state.hook.value})
  const {value, command, error} = useAnswer('patch', fields || null)
  const other = () => {
    const {tokens: list, names} = look.value
    state.corrupt.value = [names[(list[0] + 1) % names.length], ...list.slice(1).map(z => names[z])].join(',')
  }
  const shown = corrupt && value
  return html`
    <h2>Patch one sequence into another</h2>
    <p class="sentence">The model runs over the corrupted sequence, with one activation taken from the clean one. Where the clean prediction returns,
      that activation carries what differs: 1 is all of it, 0 nothing.</p>
    <${Text} label="Clean sequence" value=${clean} onChange=${v => { state.clean.value = v }}/>
    <${Text} label="Corrupted sequence, of the same length" value=${corrupt} onChange=${v => { state.corrupt.value = v }}/>
    <p class="row"><button type="button" disabled=${!look.value} onClick=${other}>Change the first token</button></p>
    <${Choice} label="Activation to patch" value=${state.hook.value} options=${look.value?.hooks ?? [state.hook.value]}
      onChange=${hook => { state.hook.value = hook }}/>
    <${Problem} text=${error}/>
    ${shown && html`<p class="sentence">KL from the ${value.reference === 'optimal' ? 'optimal prediction' : 'model’s own prediction'}: clean ${nats(value.kl_clean)},
      corrupted ${nats(value.kl_corrupt)} nats. ${value.degenerate ?? ''} ${value.warning ?? ''}</p>
      <${Figure} name="patch" fields=${fields} alt=${best(value)}/>
      <p class="sentence">${best(value)}</p>
      <${Numbers} caption="Patching: numbers" columns=${['', ...value.positions.map(t => 'position ' + t), 'all']}
        rows=${value.rows.map(r => [r.name, ...(r.recovered ?? r.kl).map(x => x.toFixed(4)), (r.all_positions.recovered ?? r.all_positions.kl).toFixed(4)])}/>
      <${Command} text=${command}/>`}`
}

// best names the site that recovers most.
const best = value => {
  let [most, where] = [-Infinity, '']
  for (const row of value.rows) {
    row.recovered?.forEach((x, i) => {
      if (x > most) [most, where] = [x, `${row.name} at position ${value.positions[i]}`]
    })
  }
  return where ? `${where} recovers most: ${most.toFixed(3)}.` : 'There is nothing to recover.'
}

// partOf returns the name in the address of a part: 0.1 for a head, mlp0 for an MLP.
const partOf = site => (site.hook === 'z' ? `${site.layer}.${site.head}` : `mlp${site.layer}`)

const Ablate = () => {
  const ways = state.with.value
  const each = useAnswer('ablate', asked({with: ways}))
  const off = state.off.value, heads = off.filter(p => !p.startsWith('mlp'))
  const together = off.length ? asked({with: ways, ...(heads.length ? {heads: [heads.join(',')]} : {}),
    mlps: off.filter(p => p.startsWith('mlp')).map(p => Number(p.slice(3)))}) : null
  const some = useAnswer('ablate', together)
  const all = each.value
  if (!all) return html`<p role="status">${each.busy && state.model.value ? 'Removing each part in turn …' : ''}</p><${Problem} text=${each.error}/>`
  const parts = [...all.parts].sort((a, b) => a.name.localeCompare(b.name))
  const switchPart = name => { state.off.value = off.includes(name) ? off.filter(p => p !== name) : [...off, name] }
  const cost = p => [nats(p.damage), all.chance_kl === undefined ? '–' : percent(p.damage / (all.chance_kl - all.kl))]
  const shown = together ? some : each
  return html`
    <h2>Take parts away</h2>
    <p class="sentence">Tick parts to remove them. The damage is how much further the predictions are from the ${all.reference === 'optimal' ? 'optimum' : 'unchanged model'}; the share is
      of what the model has learned beyond the best constant guess. Ticked heads are removed together, MLPs one at a time.</p>
    <${Choice} label="Replace them with" value=${ways} options=${[['mean', 'their mean at each position'], ['zero', 'zeros'], ['resample', 'those of another sequence']]}
      onChange=${w => { state.with.value = w }}/>
    <div class="parts" role="group" aria-label="Parts to remove">${parts.map(p => html`<label class="check"><input type="checkbox" checked=${off.includes(partOf(p.sites[0]))}
      onChange=${() => switchPart(partOf(p.sites[0]))}/><span>${p.name}</span></label>`)}</div>
    <${Problem} text=${each.error ?? (together && some.error)}/>
    ${together && some.value && html`<${Table} caption="Without what is ticked" columns=${['without', 'damage, nats', 'share']}
      rows=${some.value.parts.map(p => [p.name, ...cost(p)])}/>`}
    <${Table} caption=${`Without each part; KL of the model as it is: ${nats(all.kl)} nats`} columns=${['without', 'damage, nats', 'share']}
      rows=${all.parts.map(p => [p.name, ...cost(p)])}/>
    <${Figure} name="ablate" fields=${together ?? asked({with: ways})} alt="KL without each part, next to the model as it is and the best constant guess."/>
    <${Command} text=${shown.command}/>`
}
