// Probabilities of tokens, next to the best ones.
import {html} from './html.js'
import {percent} from './ui.js'

const mostBars = 20

// Bars shows the likeliest tokens: bars of the model, and marks of the optimum.
export const Bars = ({names, model, optimal}) => {
  const shown = [...names.keys()].sort((a, b) => model[b] - model[a]).slice(0, mostBars).sort((a, b) => a - b)
  const most = Math.max(...shown.map(z => Math.max(model[z], optimal?.[z] ?? 0)))
  return html`<div class="next">${shown.map(z => html`<span>${names[z]}</span>
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width=${100 * model[z] / most} height="10"/>
      ${optimal && html`<path d=${`M${100 * (optimal[z] ?? 0) / most} 0V10`}/>`}</svg>
    <span>${percent(model[z])}${optimal && html` <small>best ${percent(optimal[z] ?? 0)}</small>`}</span>`)}</div>`
}
