import {html} from '../html.js'

export const Process = () => html`<h1>Process</h1>`
