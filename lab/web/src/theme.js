// The colours follow the system, unless the reader chooses.
import {effect, signal} from '@preact/signals'
import {html} from './html.js'

export const themes = ['system', 'light', 'dark']

const kept = () => {
  try {
    return localStorage.getItem('theme')
  } catch {
    return null // storage is forbidden
  }
}

export const theme = signal(themes.includes(kept()) ? kept() : 'system')

effect(() => {
  const root = document.documentElement
  if (theme.value === 'system') delete root.dataset.theme
  else root.dataset.theme = theme.value
  try {
    localStorage.setItem('theme', theme.value)
  } catch { /* storage is forbidden; the choice ends with the page */ }
})

export const Theme = () => html`<div class="switch" role="group" aria-label="Colours">
  ${themes.map(t => html`<button type="button" aria-pressed=${String(theme.value === t)} onClick=${() => { theme.value = t }}>${t}</button>`)}
</div>`
