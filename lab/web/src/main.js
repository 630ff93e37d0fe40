// The pages of the laboratory.
import 'uplot/dist/uPlot.min.css'
import './style.css'
import {render} from 'preact'
import {useEffect, useState} from 'preact/hooks'
import {inTab, loaded} from './engine.js'
import {html} from './html.js'
import {SavePage} from './save.js'
import {go, link, state} from './state.js'
import {Theme} from './theme.js'
import {Inside} from './pages/inside.js'
import {Lessons} from './pages/lessons.js'
import {Papers} from './pages/papers.js'
import {Process} from './pages/process.js'
import {Reproduce} from './pages/reproduce.js'
import {Runs} from './pages/runs.js'
import {Train} from './pages/train.js'
import {Walk} from './pages/walk.js'

const pages = {
  train: ['Train', Train], process: ['Process', Process], inside: ['Inside', Inside], walk: ['Walk', Walk],
  runs: ['Runs', Runs], papers: ['Papers', Papers], reproduce: ['Reproduce', Reproduce], lessons: ['Lessons', Lessons],
}
if (inTab) delete pages.papers // its claims take hours

const visit = page => event => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
  event.preventDefault()
  go({page})
}

// Return leads from another page back to the step of a lesson that has opened it.
const Return = () => (state.lesson.value && state.page.value !== 'lessons' ? html`<p class="return">
  <a href=${link({page: 'lessons'})} onClick=${visit('lessons')}>Back to lesson ${state.lesson.value}, step ${state.part.value}</a>
  <button type="button" onClick=${() => { state.lesson.value = 0 }}>Leave the lesson</button></p>` : null)

// Loading says that the engine of a page without a server is not there yet.
const Loading = () => {
  const [wait, setWait] = useState(inTab)
  useEffect(() => {
    loaded.catch(() => {}).then(() => setWait(false)) // a question will say what went wrong
  }, [])
  return wait ? html`<p role="status">Loading the engine…</p>` : null
}

const App = () => {
  const [title, Page] = pages[state.page.value] ?? pages.train
  useEffect(() => {
    document.title = title + ' – foretell'
  }, [title])
  return html`
    <a class="skip" href="#page">Skip to the page</a>
    <header><strong>foretell</strong>
      <nav aria-label="Pages">${Object.entries(pages).map(([name, [words]]) => html`<a href=${link({page: name})}
        aria-current=${state.page.value === name ? 'page' : undefined} onClick=${visit(name)}>${words}</a>`)}</nav>
      <${SavePage}/><${Theme}/></header>
    <main id="page"><${Loading}/><${Return}/><${Page}/></main>`
}

render(html`<${App}/>`, document.getElementById('app'))
