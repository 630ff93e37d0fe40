import {html} from '../html.js'

export const Walk = () => html`<h1>Walk</h1>`
