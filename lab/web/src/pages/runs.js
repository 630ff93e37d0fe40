import {html} from '../html.js'

export const Runs = () => html`<h1>Runs</h1>`
