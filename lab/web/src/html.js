// Markup by htm, so that sources need no compiler.



export {html} from "htm/preact"
