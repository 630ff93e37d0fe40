// Lessons: one step at a time, with links that show a step in the other pages.
import {useLayoutEffect, useRef} from 'preact/hooks'
import {html} from '../html.js'
import {below} from '../model.js'
import {go, link, state} from '../state.js'
import {Choice, Command, Figure, Problem, Table, useAnswer} from '../ui.js'

const visit = changes => event => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return
  event.preventDefault()
  go(changes)
}

// every returns blocks and the blocks in them.
const every = blocks => blocks.flatMap(b => [b, ...every(b.blocks ?? []), ...every((b.items ?? []).flat())])

// parsed reads a command line of a lesson: its name, its arguments, and by flag the list
// of its values. A flag is followed by its value, another flag, or nothing.
const parsed = line => {
  const words = line.split(' ').slice(1)
  const name = words[0] === 'process' ? words.splice(0, 2).join(' ') : words.shift()
  const args = [], flags = {}
  while (words.length) {
    const word = words.shift()
    if (!word.startsWith('--')) args.push(word)
    else (flags[word.slice(2)] ??= []).push(words[0] && !words[0].startsWith('--') ? words.shift() : '')
  }
  return {name, args, flags, first: flag => flags[flag]?.[0] ?? ''}
}

// pairs returns assignments such as n_ctx=4 by name.
const pairs = (list = []) => Object.fromEntries(list.map(text => {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}))

// assign sets a key such as train.num_steps in a configuration with a line for each part.
const assign = (yaml, [path, value]) => {
  const [part, key] = path.split('.')
  return yaml.replace(new RegExp(`^(${part}: *\\{)(.*)\\}$`, 'm'), (_, head, rest) =>
    head + [...rest.split(', ').filter(s => !s.startsWith(key + ':')), `${key}: ${value}`].join(', ') + '}')
}

// source returns where the page Process shows the process of a command: one of the
// catalogue, or a file of the lessons. null if it is another file.
const source = (name, params, files) => {
  if (files[name]) return {yaml: files[name], params: {}}
  return name.includes('.') ? null : {process: name, params: pairs(params), yaml: ''}
}

// demo is what `foretell demo` trains: what the page Train begins with.
const demo = {process: 'mess3', params: {}, yaml: '', config: '', dials: {}}

// trained returns the run that a command trains, and how the page Train shows it.
const trained = ({name, args, flags, first}, files) => {
  if (name === 'demo') return {run: name, shown: demo}
  if (name !== 'train') return null
  const set = Object.entries(pairs(flags.set))
  const shown = files[args[0]] ? {config: set.reduce(assign, files[args[0]])}
    : {...demo, dials: Object.fromEntries(set.map(([path, value]) => [path.split('.')[1], value]))}
  return {run: first('out'), shown}
}

// runOf returns the name of the run that a command looks at; that of demo is demo/run.
const runOf = path => path.replace(/\/run$/, '')

// known returns what commands refer to: files by name, runs by name with what trains
// them, and which of these are there.
const known = (lessons, runs) => {
  const blocks = every(lessons.flatMap(l => l.steps.flatMap(s => s.blocks)))
  const files = Object.fromEntries(blocks.filter(b => b.kind === 'file').map(b => [b.name, b.code]))
  const training = blocks.flatMap(b => b.commands ?? []).map(c => trained(parsed(c.command), files)).filter(Boolean)
  const there = new Set((runs.value ?? []).filter(r => r.complete).map(r => below(runs.command)(r.run)))
  return {files, training: Object.fromEntries(training.map(t => [t.run, t.shown])), there}
}

// training returns the link to the page Train for a run, in words if it is not there yet.
const training = (run, {training: all, there}, words) => ({
  words: there.has(run) ? `Open ${run} in Train` : `${words} ${run}`,
  to: {page: 'train', dials: {}, config: '', ...all[run], name: run, run: there.has(run) ? run : '', step: -1},
})

// place returns the link that shows in another page what a command prints: its words and
// what changes in the address. null if no page does.
const place = (line, about) => {
  const {name, args, flags, first} = parsed(line), tokens = first('tokens')
  if (name.startsWith('process ')) {
    const of = source(args[0], flags.param, about.files)
    return of && {words: 'Open in Process', to: {page: 'process', ...of, tokens, graph: first('graph')}}
  }
  if (name === 'walk') {
    return {words: 'Open in Walk', to: {page: 'walk', model: args[0], craft: pairs(flags.param), tokens, set: [], layer: -1}}
  }
  if (name === 'train' || name === 'demo') {
    const {run} = trained(parsed(line), about.files)
    return training(run, about, 'Train')
  }
  const run = runOf(args[0] ?? '')
  const looked = {
    predict: {words: 'Open in Inside', to: {page: 'inside', view: 'predict', model: run, craft: {}, tokens}},
    probe: {words: 'Open in Inside', to: {page: 'inside', view: 'probe', model: run, craft: {}, tokens: '', stage: '', ask: ''}},
    plot: {words: 'Open in Runs', to: {page: 'runs', runs: [run]}},
  }[name]
  if (!looked || !about.training[run]) return null
  return about.there.has(run) ? looked : training(run, about, 'First train')
}

export const Lessons = () => {
  const {value, error} = useAnswer('lessons', {}, 0)
  const runs = useAnswer('runs', {}, 0)
  const chosen = value?.find(l => l.lesson === state.lesson.value)
  return html`<h1>Lessons</h1>
    <${Problem} text=${error ?? runs.error}/>
    ${value && runs.value && (chosen ? html`<${Lesson} lessons=${value} lesson=${chosen} about=${known(value, runs)}/>` : html`<${Index} lessons=${value}/>`)}`
}

const Index = ({lessons}) => html`
  <p>Lessons of ten minutes each, for a class or for learning alone. Take a pencil. Each lesson has commands with what they print (… marks omitted lines), and an exercise with its answer.
    Read a step, then follow its links: another page of the laboratory shows the same, with numbers that you can change.</p>
  <ol class="lessons">${lessons.map(l => html`<li><a href=${link({lesson: l.lesson, part: 1})} onClick=${visit({lesson: l.lesson, part: 1})}>${l.title}</a>: ${l.about}</li>`)}</ol>
  <${Command} text="foretell lessons"/>`

// turns returns the steps of all lessons in their order.
const turns = lessons => lessons.flatMap(l => l.steps.map((s, i) => ({lesson: l.lesson, part: i + 1, title: s.title})))

const Lesson = ({lessons, lesson, about}) => {
  const part = Math.min(Math.max(1, state.part.value), lesson.steps.length), step = lesson.steps[part - 1]
  const all = turns(lessons), at = all.findIndex(t => t.lesson === lesson.lesson && t.part === part)
  const heading = useRef(null), shown = useRef(at)
  useLayoutEffect(() => {
    if (shown.current === at) return
    shown.current = at
    heading.current.focus({preventScroll: true})
    scrollTo(0, 0)
  }, [at])
  const turn = to => {
    if (all[to]) go({lesson: all[to].lesson, part: all[to].part})
    else if (to === all.length) go({lesson: 0, part: 1})
  }
  const key = useRef(null)
  key.current = by => turn(at + by) // of what is shown now, so that no key is lost between two steps
  useLayoutEffect(() => {
    const onKey = event => {
      const by = {ArrowRight: 1, ArrowLeft: -1}[event.key]
      const taken = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target.closest('input, select, textarea, [tabindex="0"]')
      if (by && !taken) key.current(by)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const last = at === all.length - 1
  return html`
    <p><a href=${link({lesson: 0, part: 1})} onClick=${visit({lesson: 0, part: 1})}>All lessons</a></p>
    <div class="row">
      <${Choice} label="Lesson" value=${String(lesson.lesson)} options=${lessons.map(l => [String(l.lesson), `${l.lesson}. ${l.title}`])}
        onChange=${l => go({lesson: Number(l), part: 1})}/>
      <${Choice} label="Step" value=${String(part)} options=${lesson.steps.map((s, i) => [String(i + 1), `${i + 1} of ${lesson.steps.length}: ${s.title.replace(/^\d+\. /, '')}`])}
        onChange=${p => go({part: Number(p)})}/></div>
    <article class="lesson" aria-labelledby="step"><h2 id="step" tabindex="-1" ref=${heading}>${step.title}</h2>
      <${Blocks} key=${at} blocks=${step.blocks} about=${about}/></article>
    <nav class="row turn" aria-label="Steps">
      <button type="button" disabled=${at === 0} onClick=${() => turn(at - 1)}>Back</button>
      <small class="sentence">Step ${part} of ${lesson.steps.length}. The arrow keys turn the steps.</small>
      <button type="button" class="main" onClick=${() => turn(at + 1)}>${last ? 'All lessons' : `Next: ${all[at + 1].title}`}</button></nav>
    <${Command} text=${`foretell lessons ${lesson.lesson}`}/>`
}

const Blocks = ({blocks, about}) => blocks.map(b => html`<${Block} block=${b} about=${about}/>`)

const Block = ({block: b, about}) => {
  const items = () => b.items.map(item => html`<li><${Blocks} blocks=${item} about=${about}/></li>`)
  switch (b.kind) {
    case 'paragraph': return html`<p>${b.text.map(s => html`<${Span} span=${s}/>`)}</p>`
    case 'bullets': return html`<ul>${items()}</ul>`
    case 'numbers': return html`<ol>${items()}</ol>`
    case 'table': return html`<${Table} caption="Table" columns=${b.columns} rows=${b.rows}/>`
    case 'file': return html`<div class="typed"><pre tabindex="0" role="group" aria-label=${b.name}>${b.code}</pre></div>`
    case 'console': return b.commands.map(c => html`<${Typed} command=${c} about=${about}/>`)
    case 'figure': return html`<${Figure} name="lessons" fields=${{file: b.name}} alt=${b.caption} endings=${['.svg', '.png']}/><p class="sentence">${b.caption}</p>`
    case 'answer': return html`<details><summary>${b.caption}</summary><${Blocks} blocks=${b.blocks} about=${about}/></details>`
  }
  return html`<${Problem} text=${`This page cannot show a block of kind ${b.kind}.`}/>`
}

const Span = ({span: {span, style, to}}) => {
  if (to) return html`<a href=${link({lesson: to, part: 1})} onClick=${visit({lesson: to, part: 1})}>${span}</a>`
  switch (style) {
    case 'emphasis': return html`<em>${span}</em>`
    case 'strong': return html`<strong>${span}</strong>`
    case 'code': return html`<code>${span}</code>`
    case 'break': return html`<br/>`
  }
  return span
}

// Typed is a command, what it prints, and the link that shows it in another page.
const Typed = ({command: {command, output}, about}) => {
  const found = place(command, about)
  return html`<div class="typed"><${Command} text=${command}/>
    ${output && html`<pre tabindex="0" role="group" aria-label=${`What ${command} prints`}>${output}</pre>`}
    ${found && html`<p><a class="go" href=${link(found.to)} onClick=${visit(found.to)}>${found.words}</a></p>`}</div>`
}
