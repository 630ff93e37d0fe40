// Papers: claims of documents, what was expected and what this machine has found.
import {useEffect, useState} from 'preact/hooks'
import {act, ask, file, followReport} from '../engine.js'
import {html} from '../html.js'
import {go, link, state} from '../state.js'
import {Choice, Command, hold, Problem, release, Save, Table, useAnswer, useAsked} from '../ui.js'

const visit = changes => e => { e.preventDefault(); go(changes) }

// plain returns a text of a report without the marks of `code` and *emphasis*.
const plain = text => String(text ?? '').replace(/`([^`]+)`/g, '$1').replace(/(^|[^\w*])\*(\S|\S.*?\S)\*(?!\w)/g, '$1$2')

// claimsOf returns the claims of a report by id.
const claimsOf = reports => new Map((reports?.[0]?.ledger.claims ?? []).map(c => [c.id, c]))

const shapes = {holds: '✓', corrected: '✎', differs: '≈', fails: '✗', open: '?'}

// Verdict is a badge, in words.
export const Verdict = ({claim}) => html`<span class=${'verdict ' + claim.verdict}>${shapes[claim.verdict] ?? ''} ${claim.verdict}${
  claim.reason || claim.severity ? ': ' + (claim.reason || claim.severity) : ''}</span>`

export const Papers = () => {
  const {value, command, error} = useAnswer('papers', {})
  const chosen = value?.find(d => d.document === state.document.value)
  return html`<h1>Papers</h1>
    <p>Claims of published documents. Each is a row: what the document says, the rule, and what was found on this machine.</p>
    <${Problem} text=${error}/>
    ${value && (chosen ? html`<${Document} known=${value} about=${chosen}/>` : html`<${Index} documents=${value}/><${Command} text=${command}/>`)}`
}

// Index lists the documents with the verdicts so far.
const Index = ({documents}) => {
  const {value: reports, command, error} = useAnswer('ledger', {})
  const tally = title => {
    const found = (reports ?? []).filter(r => r.ledger.title === title).flatMap(r => r.ledger.claims)
    const count = {}
    for (const c of found) count[c.verdict] = (count[c.verdict] ?? 0) + 1
    return Object.entries(count).map(([verdict, n]) => `${n} ${verdict}`).join(', ') || 'not computed on this machine yet'
  }
  return html`<${Problem} text=${error}/><${Table} caption="Documents" className="wrapped" columns=${['document', 'title', 'source', 'claims', 'verdicts on this machine']}
    rows=${documents.map(d => [html`<a href=${link({document: d.document})} onClick=${visit({document: d.document, row: ''})}>${d.document}</a>`,
      d.title, d.source, d.rows.length, reports ? tally(d.title) : '…'])}/><${Command} text=${command}/>`
}

// useReport returns the claims of a report and the job that recomputes one; the claims
// are read again when a job ends.
const useReport = fields => {
  const [job, setJob] = useState(null)
  const [ended, setEnded] = useState(0)
  const folder = fields.document + '-' + fields.profile
  useEffect(() => {
    let before
    setJob(null)
    return followReport(folder, now => {
      if (before === 'computing' && now.state !== 'computing') setEnded(n => n + 1)
      before = now.state
      setJob(now)
    })
  }, [folder])
  const {value, command, error} = useLedger(fields, ended)
  return {job, reports: value, command, error, ended}
}

const useLedger = (fields, ended) => useAsked([fields, ended], signal => ask('ledger', fields, signal))

const Document = ({known, about}) => {
  const profile = about.profiles.includes(state.profile.value) ? state.profile.value : about.profiles[0]
  const fields = {document: about.document, profile}
  const {value: listed, command} = useAnswer('papers', fields)
  const report = useReport(fields)
  const shown = listed?.[0]?.document === about.document ? listed[0] : about
  const claims = claimsOf(report.reports)
  const row = shown.rows.find(r => r.id === state.row.value) ?? shown.rows[0]
  return html`
    <p><a href=${link({document: '', row: ''})} onClick=${visit({document: '', row: ''})}>All documents</a></p>
    <h2>${shown.title}</h2><p class="sentence">${shown.source}</p>
    <div class="split">
      <section aria-label="Claims">
        <${Choice} label="Document" value=${about.document} options=${known.map(d => d.document)} onChange=${document => go({document, row: ''})}/>
        <${Choice} label="Profile" value=${profile} options=${about.profiles.map(p => [p, profiles[p] ?? p])} onChange=${p => go({profile: p})}/>
        <ul class="claims">${shown.rows.map(r => html`<li><a href=${link({row: r.id})} onClick=${visit({row: r.id})}
          aria-current=${r.id === row.id ? 'true' : undefined}><strong>${r.id}</strong> ${claims.has(r.id)
            ? html`<${Verdict} claim=${claims.get(r.id)}/>` : html`<span class="none">(not computed yet)</span>`} ${plain(r.statement)}</a></li>`)}</ul>
        <${Command} text=${command}/>
      </section>
      <${Row} key=${row.id} row=${row} claim=${claims.get(row.id)} fields=${fields} report=${report}/>
    </div>`
}

const profiles = {quick: 'quick: minutes', full: 'full: the document’s own training, hours', deep: 'deep: more models and settings, hours'}

const Row = ({row, claim, fields, report}) => {
  const {job, reports, command, ended} = report
  const [error, setError] = useState('')
  const doing = async (name, what) => {
    setError('')
    try {
      await act(name, what)
    } catch (failed) {
      setError(failed.message)
    }
  }
  const computing = job?.state === 'computing'
  const notes = claim?.notes ?? row.notes
  return html`<section aria-label=${'Claim ' + row.id}>
    <h2>${row.id} ${claim && html`<${Verdict} claim=${claim}/>`}</h2>
    <p>${plain(claim?.statement ?? row.statement)}</p>
    <p class="sentence">${row.source}${row.quote ? '. ' + plain(row.quote) : ''}</p>
    <dl class="pair"><div><dt>Expected</dt><dd>${plain(claim?.expected ?? row.expected)}</dd></div>
      <div><dt>Obtained</dt><dd class="obtained">${claim ? plain(claim.obtained) : 'not computed on this machine yet'}</dd></div></dl>
    <p class="row"><button type="button" class="main" disabled=${computing} onClick=${() => doing('reproduce', {...fields, id: row.id})}>
        ${claim ? 'Recompute' : 'Compute'} ${row.id}</button>
      ${computing && html`<button type="button" onClick=${() => doing('stop', fields)}>Stop ${job.id}</button>`}</p>
    <p class="sentence">${row.models > 0 ? `It trains ${row.models} models (${row.total_steps.toLocaleString('en')} steps), unless the report’s folder has them.` : 'It trains no model.'}</p>
    <div role="status">${computing && html`<p class="working">${job.line || 'It begins …'}</p>`}</div>
    <${Command} text=${computing ? job.command : `foretell reproduce ${fields.document} --only ${row.id} --profile ${fields.profile}`}/>
    <${Problem} text=${error || report.error || job?.problem || reports?.[0]?.problem}/>
    ${claim && html`<${Found} claim=${claim} fields=${fields} ended=${ended}/><${Command} text=${command}/>`}
    ${notes?.length > 0 && html`<h3>Notes</h3><ul>${notes.map(n => html`<li>${plain(n)}</li>`)}</ul>`}
  </section>`
}

const Found = ({claim, fields, ended}) => html`
  ${(claim.figures ?? []).map((name, i) => html`<${Plate} key=${name} fields=${{...fields, file: name}} caption=${plain(claim.captions?.[i])} ended=${ended}/>`)}
  ${claim.conditions?.length > 0 && html`<${Table} caption="Conditions" className="wrapped" columns=${['condition', 'verdict', 'obtained']}
    rows=${claim.conditions.map(c => [plain(c.name), html`<${Verdict} claim=${c}/>`, plain(c.obtained)])}/>`}
  ${(claim.tables ?? []).map(t => html`<${Table} caption=${plain(t.title)} className="wrapped" columns=${(t.columns ?? []).map(plain)} rows=${(t.rows ?? []).map(r => r.map(plain))}/>`)}
  ${claim.data?.length > 0 && html`<h3>Data</h3>`}
  ${(claim.data ?? []).map(name => html`<${Data} key=${name} fields=${{...fields, file: name}} ended=${ended}/>`)}`

const ending = name => name.slice(name.lastIndexOf('.'))
const bare = name => name.slice(name.lastIndexOf('/') + 1, name.lastIndexOf('.'))

// within returns the text of the first element of a kind in an SVG.
const within = (svg, kind) => {
  const text = new RegExp(`<${kind}[^>]*>([^<]*)</${kind}>`).exec(svg)?.[1] ?? ''
  const names = {amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", '#34': '"'}
  return text.replace(/&(amp|lt|gt|quot|apos|#39|#34);/g, (_, name) => names[name])
}

// Plate is a figure of a claim. It is an image, so that nothing in it is markup of the page.
const Plate = ({fields, caption, ended}) => {
  const {value, error} = useAsked([fields, ended], async signal => {
    const blob = await file('ledger', '.svg', fields, signal), svg = await blob.text()
    return {value: {url: hold(blob), alt: [within(svg, 'title'), within(svg, 'desc')].filter(Boolean).join('. ')}}
  })
  useEffect(() => () => value && release(value.url), [value])
  return html`<figure>${value && html`<img src=${value.url} alt=${value.alt || caption || fields.file}/>`}
    <figcaption>${caption}</figcaption><${Problem} text=${error}/>
    <${Save} name="ledger" fields=${fields} endings=${['.svg', '.png']} title=${bare(fields.file)}/></figure>`
}

// mostRows is the number of rows of a data file that the page shows.
const mostRows = 200

// cells reads CSV.
const cells = text => {
  const rows = [[]]
  for (const [, quoted, simple, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? simple : quoted.replaceAll('""', '"'))
    if (end === '') break
    if (end !== ',') rows.push([])
  }
  return rows.filter(r => r.length > 1 || r[0])
}

// Data is a data file of a claim. A table is read when it is unfolded.
const Data = ({fields, ended}) => {
  const [open, setOpen] = useState(false)
  const table = ending(fields.file) === '.csv'
  const {value, error} = useAsked([fields, open, ended], open && table ? (async signal =>
    ({value: cells(await (await file('ledger', '.csv', fields, signal)).text())})) : null)
  return html`<details onToggle=${e => setOpen(e.target.open)}><summary>${fields.file}</summary>
    <${Problem} text=${error}/>
    ${open && value && html`<${Table} caption=${value.length - 1 > mostRows ? `The first ${mostRows} of ${value.length - 1} rows` : `${value.length - 1} rows`}
      columns=${value[0]} rows=${value.slice(1, mostRows + 1)}/>`}
    <${Save} name="ledger" fields=${fields} endings=${[ending(fields.file)]} title=${bare(fields.file)}/></details>`
}
