// What a head attends to along a sequence.
import {html} from './html.js'
import {Numbers, percent} from './ui.js'

// Head shows what a head attends to. pattern has a row for each token, seen their names.
export const Head = ({name, pattern, seen}) => {
  const n = seen.length, strongest = pattern[n - 1].indexOf(Math.max(...pattern[n - 1]))
  return html`<figure><figcaption>head ${name}</figcaption>
    <svg class="pattern" viewBox=${`0 0 ${n} ${n}`} role="img" aria-label=${`Head ${name}: the last token attends most to position ${strongest}, ${seen[strongest]}, with ${percent(pattern[n - 1][strongest])}.`}>
      ${pattern.flatMap((row, t) => row.slice(0, t + 1).map((x, s) => html`<rect x=${s} y=${t} width="1" height="1" fill-opacity=${x}>
        <title>${`${t}: ${seen[t]} → ${s}: ${seen[s]}: ${percent(x)}`}</title></rect>`))}</svg>
    <${Numbers} caption=${'Head ' + name + ': numbers'} columns=${['', ...seen.map((z, t) => `${t}: ${z}`)]}
      rows=${pattern.map((row, t) => [`${t}: ${seen[t]}`, ...row.map((x, s) => (s > t ? '' : x.toFixed(4)))])}/></figure>`
}
