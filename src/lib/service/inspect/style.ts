/** The style sheet of the inspector, in addition to that of the pages that show files. */
export const INSPECT_STYLE = `
.filter { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; margin: 0 0 1.25rem; }
.filter > div { flex: 1 1 9rem; min-width: 0; }
.filter input { margin: 0; padding: .45rem .7rem; }
.filter label { font-size: .9rem; }
.filter .buttons { flex: none; }
.filter button, .filter .button { padding: .45rem .9rem; }
td.status { white-space: nowrap; }
table.cards td.refused { color: var(--bad); font-weight: 600; }
.narrow form + form { margin-top: .75rem; }
.requests td:first-child { min-width: 10.5rem; }
.requests code { overflow-wrap: anywhere; }
textarea { font: .9rem/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; resize: vertical; }
.narrow { max-width: 40rem; }
`
