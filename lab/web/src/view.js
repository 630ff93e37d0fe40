// How clouds of a model's stages are shown: what the points are, from where, and which.
import {html} from './html.js'
import {state} from './state.js'
import {Choice, Slider} from './ui.js'

const inSpace = () => state.cloud.value === 'space'

// cloudFields returns the fields of a question about a cloud that the view needs.
export const cloudFields = () => (inSpace() ? {components: true} : {})

// printing is the part of a command of probe that writes the numbers of the view.
export const printing = () => (inSpace() ? ' --components --out points.csv' : ' --out page.html')

// viewOf returns what Cloud needs to know of the view.
export const viewOf = cloud => ({
  turn: state.turn.value, onTurn: turn => { state.turn.value = turn }, only: state.only.value > cloud.length ? 0 : state.only.value,
})

// CloudView chooses the view.
export const CloudView = ({cloud}) => {
  const [across, up] = state.turn.value
  return html`<div class="view">
    <${Choice} label="What the points show" value=${state.cloud.value} onChange=${v => { state.cloud.value = v }}
      options=${[['read', 'beliefs, as a regression reads them'], ['space', 'the activations in three dimensions']]}/>
    <${Choice} label="Sequences" value=${String(state.only.value)} onChange=${v => { state.only.value = Number(v) }}
      options=${[['0', 'all lengths'], ...Array.from({length: cloud.length}, (_, i) => [String(i + 1), i ? `${i + 1} tokens` : '1 token'])]}/>
    ${inSpace() && html`<${Slider} label="Turn across, degrees" min="-180" max="180" step="1" value=${across} onInput=${v => { state.turn.value = [Math.round(v), up] }}/>
      <${Slider} label="Turn up, degrees" min="-90" max="90" step="1" value=${up} onInput=${v => { state.turn.value = [across, Math.round(v)] }}/>`}
    </div>
    ${inSpace() && html`<p class="sentence">The first three principal components of each stage’s activations: no regression has chosen the directions.
      The percentages say how much of the variance they have. Drag a cloud to turn it, or use the arrow keys.</p>`}`
}
