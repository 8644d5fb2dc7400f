/** The style sheet of the pages that show files, in addition to that of all pages. */
export const WINDOW_STYLE = `
body.full { align-items: stretch; padding: 0; }
.skip { position: absolute; left: -99rem; padding: .5rem 1rem; background: var(--card); z-index: 1; }
.skip:focus { left: .5rem; top: .5rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.75rem; background: var(--card);
  padding: .65rem max(1rem, calc(50% - 37rem)); border-bottom: 1px solid var(--line); }
.bar .brand { margin: 0; text-decoration: none; }
.bar nav { margin: 0; border: 0; gap: 0 1.25rem; }
.bar nav a { margin: 0; padding: .45rem 0; }
.bar form { flex: 1 1 14rem; display: flex; gap: .5rem; margin-left: auto; max-width: 26rem; }
.bar input { margin: 0; padding: .45rem .75rem; min-width: 0; }
.bar button { flex: none; padding: .45rem .9rem; }
body.full main { max-width: 74rem; width: calc(100% - 2rem); margin: 1.25rem auto 0;
  padding: 1.5rem 1.75rem; }
body.full > footer { max-width: none; margin: 1.25rem 1rem 2rem; }
h1 { overflow: clip; }
h1 + .soft { margin-top: -.5rem; }
h2 { scroll-margin-top: 1rem; }
.name { overflow-wrap: anywhere; unicode-bidi: isolate; }
td { overflow-wrap: break-word; }
.entry .name, .trail .name { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3;
  overflow: hidden; }
nav.path { margin: 0 0 .5rem; border: 0; }
nav.path a { padding: 0; margin: 0; border: 0; color: var(--accent); text-decoration: underline; }
.trail { padding: 0; margin: 0 0 .35rem; list-style: none; display: flex; flex-wrap: wrap; gap: .1rem .45rem;
  font-size: .9rem; color: var(--soft); }
.trail li { display: flex; gap: .45rem; align-items: center; min-width: 0; }
.trail li + li::before { content: '/'; }
.trail .name { -webkit-line-clamp: 1; max-width: 20rem; }
.head { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: flex-start; }
.head > div { flex: 1 1 18rem; min-width: 0; }
.head .buttons { flex: none; margin-bottom: 1rem; }
.head .button { flex: none; padding: .4rem .9rem; font-size: .95rem; }
table { width: 100%; border-collapse: collapse; margin: 0 0 1rem; }
caption { text-align: left; color: var(--soft); font-size: .9rem; padding: 0 0 .4rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .9rem .5rem 0;
  border-bottom: 1px solid var(--line); }
th { font-size: .9rem; font-weight: 600; color: var(--soft); white-space: nowrap; }
th a { color: inherit; text-decoration-color: var(--line); }
th a:hover { text-decoration-color: currentcolor; }
.type { display: block; max-width: 13rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
td.end, th.end { text-align: right; padding-right: 1.5rem; white-space: nowrap; }
td time { white-space: nowrap; }
tbody tr:hover { background: var(--field); }
.entry { display: flex; gap: .6rem; min-width: 0; }
.entry svg { flex: none; width: 1.25rem; height: 1.25rem; margin-top: .15rem; color: var(--soft); }
.entry.folder svg { color: var(--accent); }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.5rem; }
.facts dt { font: inherit; color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; overflow: clip; }
.facts code { overflow-wrap: anywhere; }
.preview { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--field);
  overflow: hidden; }
pre.preview { max-height: 30rem; overflow: auto; padding: .8rem 1rem; white-space: pre-wrap;
  overflow-wrap: anywhere; font: .88rem/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; tab-size: 4; }
.preview img { display: block; max-width: 100%; max-height: 30rem; margin: 0 auto; object-fit: contain; }
.preview iframe { display: block; width: 100%; height: 38rem; max-height: 80vh; border: 0; }
.multi { white-space: pre-wrap; }
.soft code { white-space: nowrap; }
@media (min-width: 30rem) { .buttons > a.button { flex-grow: 0; } }
@media (min-width: 60rem) { .columns { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
  gap: 0 2.5rem; } .columns > div > h2:first-child, .columns > div > section:first-child > h2 { margin-top: 0; } }
@media (max-width: 40rem) {
  .bar { padding: .6rem 1rem; } .bar form { max-width: none; flex-basis: 100%; }
  .bar nav { font-size: .88rem; gap: 0 .85rem; }
  body.full main { width: 100%; margin: 0; border-width: 0 0 1px; border-radius: 0; box-shadow: none;
    padding: 1.1rem 1rem; }
  table.cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.cards, table.cards tbody, table.cards caption { display: block; }
  table.cards tr { display: flex; flex-wrap: wrap; gap: 0 .9rem; padding: .55rem 0;
    border-bottom: 1px solid var(--line); }
  table.cards td { display: block; padding: 0; border: 0; font-size: .87rem; color: var(--soft); }
  table.cards td:first-child { flex: 1 0 100%; font-size: 1rem; color: inherit; }
  table.listing thead { display: block; position: static; width: auto; height: auto; clip-path: none; }
  table.listing thead tr { gap: 0 1.25rem; padding: 0 0 .3rem; }
  table.listing th { padding: 0; border: 0; } table.listing th:not(:has(a)) { display: none; }
  table.listing td:nth-child(2) { padding-left: 1.85rem; }
  table.cards td:empty { display: none; }
  .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin: 0 0 .6rem; }
}
`
