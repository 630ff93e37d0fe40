// Reproduce: one model of a row of the ledger trains itself again, and its values are
// compared with those that are printed.
import {html} from '../html.js'
import {printed} from '../printed.js'
import {state} from '../state.js'
import {Command, nats, Problem, Slider, Table, useAnswer} from '../ui.js'
import {Verdict} from './papers.js'
import {Acts, Learning, useRun, useTraining} from './train.js'

const r2 = x => x.toFixed(5)

// seedOf is the seed at the end of a run's name.
const seedOf = name => Number(/\d+$/.exec(name)[0])

export const Reproduce = () => {
  const seed = state.seed.value, name = printed.run.replace(/\d+$/, seed)
  const by = useTraining()
  const shown = state.run.value === name
  const [rows, progress] = useRun(shown ? name : '')
  const yaml = printed.config.replace(/^ {2}seed: \d+$/m, `  seed: ${seed}`)
  const play = () => by.begin({yaml, name})
  return html`
    <h1>Reproduce</h1>
    <p>A figure of a paper trains itself again. Press the button, and watch the fractal appear. At the end, the weights are
      compared with those of the printed model, bit by bit.</p>
    <div class="split">
      <section aria-label="What to train">
        <h2>${printed.id} of ${printed.document} <${Verdict} claim=${printed}/></h2>
        <p>${printed.statement}</p>
        <p class="sentence">${printed.source}. The verdict is that of the ledger and rests on ${printed.models} models. This page trains
          one model, which is an example and cannot give the verdict.</p>
        <${Acts} label="Train it here" onPlay=${play} name=${name} progress=${progress} by=${by}/>
        <${Slider} label="Seed" min="1" max="100" step="1" value=${seed} hint=${`${seedOf(printed.run)} is the printed model’s; others end in other bits`}
          onInput=${v => { state.seed.value = Math.max(1, Math.round(v)) }}/>
        <details><summary>The configuration, as YAML</summary><pre>${yaml}</pre></details>
      </section>
      <section aria-label="Printed and here" aria-live="off">
        <${Compared} key=${name} name=${name} seed=${seed} last=${rows.at(-1)} complete=${progress?.state === 'complete'}/>
        ${shown && html`<${Learning} name=${name} rows=${rows} progress=${progress}/>`}
      </section>
    </div>
    <${Ledger}/>`
}

// Ledger is what the ledger says of the row, and what the model of this page has to do with
// it.
const Ledger = () => {
  const {document, id, quote, asked, quick, profile, date, all} = printed
  return html`<h2>The row in the ledger</h2>
    <p>The paper says: ${quote}</p>
    <p>The verdict is by a rule about principal components of models with several seeds. Of each condition the row also asks a simpler question:
      ${' '}${asked.question}</p>
    <p>The answer of the ledger is ${asked.answer} (${profile} profile, ${date}). ${asked.obtained}.</p>
    <p>The model of this page is the first of the ${quick} that the quick profile of the row trains. With ${r2(all.post)} and ${r2(all.mid)} over
      all sequences of up to 10 tokens, the answer for this model alone is ${answered(all)}. This command trains all ${quick} and gives a verdict:</p>
    <${Command} text=${`foretell reproduce ${document} --only ${id}`}/>`
}

// answered says whether R² of two stages answers the question of the row with yes.
const answered = ({post, mid}) => (post >= printed.least_post && mid >= printed.least_mid ? 'yes' : 'no')

const length = printed.values.length

// values are what is compared: a name, the text of a value or undefined, and how it is
// shown.
const values = [
  ['SHA-256 of the weights', v => v.sha256, text => html`<code>${text}</code>`],
  ['loss above the floor, nats a token', v => v.kl && nats(v.kl)],
  ['R² of the beliefs after the MLP', v => v.reads && r2(v.reads.post)],
  ['the same before training', v => v.reads && r2(v.reads.post_untrained)],
  ['R² of the constrained beliefs after attention', v => v.reads && r2(v.reads.mid)],
  ['the same before training', v => v.reads && r2(v.reads.mid_untrained)],
]

// useValues returns the values of a run as far as they are known, and the commands that
// print R².
const useValues = (name, last, complete) => {
  const run = useAnswer('run', complete ? {run: name} : null)
  const full = useAnswer('portrait', complete ? {model: name, length} : null)
  const constrained = useAnswer('portrait', complete ? {model: name, length, target: 'constrained'} : null)
  const all = [run, full, constrained]
  const [, mid] = constrained.value?.stages ?? [], [, , post] = full.value?.stages ?? []
  return {
    error: all.map(a => a.error).find(Boolean), commands: [full.command, constrained.command].filter(Boolean),
    here: {
      sha256: run.value?.weights.sha256, kl: run.value?.results.kl ?? last?.kl,
      reads: mid && post && {
        post: post.r2.mean, post_untrained: post.r2_random_init[0], mid: mid.r2.mean, mid_untrained: mid.r2_random_init[0],
      },
    },
  }
}

// Compared has the printed values and those of the run, side by side.
const Compared = ({name, seed, last, complete}) => {
  const {here, commands, error} = useValues(name, last, complete)
  const row = ([what, text, as = t => t]) => {
    const a = text(printed.values), b = text(here)
    return [what, as(a), b ? as(b) : last ? '…' : '–', complete && b ? (a === b ? 'yes' : 'no') : '']
  }
  return html`<${Table} caption=${`The model, printed and trained here; R² over all sequences of up to ${length} tokens`} className="printed"
      columns=${['value', 'printed', 'here', 'equal']} rows=${values.map(row)}/>
    <p role="status" class="meaning">${here.sha256 && meaning(here.sha256 === printed.values.sha256, seed)}</p>
    <${Problem} text=${error}/>
    ${commands.map(text => html`<${Command} key=${text} text=${text}/>`)}`
}

// meaning says what equal or different weights mean.
const meaning = (equal, seed) => {
  if (equal) return 'The bits are equal. Each weight that was trained here is exactly that of the printed model.'
  if (seed !== seedOf(printed.run)) return `The bits differ, as they must: seed ${seed} begins with other weights and draws other sequences.`
  return `The bits differ, and should not. Either the run ${printed.run} has another configuration, or foretell has an error.`
}
