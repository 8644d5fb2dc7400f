/** The style sheet of all pages, for light and dark mode and for widths down to a phone's. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #182230; --soft: #5a6575; --paper: #eef1f6; --card: #fff;
  --field: #f8f9fc; --line: #d8dee8; --accent: #2257c9; --on-accent: #fff; --tint: #e8effc;
  --bad: #b3261e; --bad-tint: #fcecea; --good: #1a7340; --good-tint: #e6f5ec; --code: #33415a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf3; --soft: #a2aec0; --paper: #10141b;
  --card: #1a202a; --field: #141922; --line: #323c4b; --accent: #8db4ff; --on-accent: #0b1a33;
  --tint: #22304a; --bad: #ff9d94; --bad-tint: #3a2020; --good: #7fd6a2; --good-tint: #173326;
  --code: #c4d3ee; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center;
  padding: 2rem 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif; }
body.narrow { justify-content: center; }
.brand { display: flex; align-items: center; gap: .55rem; margin: 0 0 1.25rem; font-weight: 700;
  letter-spacing: .01em; color: var(--ink); }
.brand svg { width: 1.6rem; height: 1.6rem; color: var(--accent); }
main { width: 100%; max-width: 27rem; padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 16px; box-shadow: 0 1px 2px #0f1a2b14, 0 8px 28px #0f1a2b12; }
body.wide main { max-width: 48rem; }
body > footer { margin-top: 1.25rem; color: var(--soft); font-size: .85rem; text-align: center;
  max-width: 27rem; }
body.wide > footer { max-width: 48rem; }
h1 { margin: 0 0 .9rem; font-size: 1.4rem; line-height: 1.25; letter-spacing: -.01em;
  overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .75rem; font-size: 1.05rem; }
p, ul, dl { margin: 0 0 1rem; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .15em; }
ul { padding-left: 1.2rem; }
ul.scopes { padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 10px; }
ul.scopes li { display: flex; gap: .65rem; padding: .6rem .8rem; }
ul.scopes li + li { border-top: 1px solid var(--line); }
ul.scopes svg { flex: none; width: 1.1rem; height: 1.1rem; margin-top: .2rem; color: var(--good); }
ul.scopes small { display: block; }
small { color: var(--soft); font-size: .85rem; }
code, dt { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; font-size: .92em; color: var(--code); }
dt { font-weight: 600; scroll-margin-top: 1rem; }
dt:target { background: var(--tint); }
dd { margin: 0 0 .75rem; }
label, legend { display: block; margin-bottom: .35rem; font-weight: 600; padding: 0; }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; min-width: 0; }
input, select, textarea { width: 100%; padding: .6rem .75rem; margin-bottom: 1rem; font: inherit;
  color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: 9px; }
input.code { padding: .85rem; font: 600 1.6rem ui-monospace, 'DejaVu Sans Mono', monospace;
  letter-spacing: .14em; text-align: center; text-transform: uppercase; }
input.code::placeholder { color: var(--line); }
textarea.secret { font: 1rem/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; margin-bottom: .5rem;
  resize: none; overflow-wrap: anywhere; field-sizing: content; }
input[type=radio], input[type=checkbox] { width: 1.1rem; height: 1.1rem; margin: .2rem 0 0; flex: none;
  accent-color: var(--accent); }
label.choice { display: flex; gap: .7rem; margin: 0 0 .55rem; font-weight: 400; cursor: pointer; }
label.choice small { display: block; }
.level { display: grid; grid-template-columns: 1fr 11.5rem; gap: .25rem 1rem; align-items: center;
  padding: .55rem 0; border-top: 1px solid var(--line); }
.level label { margin: 0; font-weight: 400; }
.level select { margin: 0; }
.level small { display: block; }
button, a.button { flex: 1 1 auto; padding: .65rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: inherit; background: none; border: 1px solid var(--line); border-radius: 9px; text-align: center;
  text-decoration: none; }
button:hover, a.button:hover { background: var(--tint); }
button.main, a.main { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
button.main:hover, a.main:hover { filter: brightness(1.08); background: var(--accent); }
button.small { flex: none; padding: .35rem .8rem; font-size: .9rem; }
button.danger { color: var(--bad); }
button.danger:hover { background: var(--bad-tint); border-color: var(--bad); }
button.link { flex: none; padding: 0; border: 0; background: none; color: var(--accent); font-weight: 400;
  text-decoration: underline; text-underline-offset: .15em; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; }
.buttons.above { margin-bottom: 1.25rem; }
@media (min-width: 30rem) { .buttons.above > * { flex-grow: 0; } }
.account { display: flex; align-items: center; gap: .8rem; width: 100%; margin: 0 0 .6rem;
  padding: .7rem .85rem; text-align: left; font-weight: 400; border: 1px solid var(--line);
  border-radius: 11px; overflow-wrap: anywhere; }
label.account { cursor: pointer; }
label.account:has(:checked) { border-color: var(--accent); background: var(--tint); }
.account.hinted { border-color: var(--accent); }
.account + p, .account + input + p, .account ~ .buttons { margin-top: 1.1rem; }
.account b { display: block; line-height: 1.3; }
.account > span:nth-child(2) { flex: 1; min-width: 0; }
.account > input { margin: 0; }
.avatar { flex: none; display: grid; place-items: center; width: 2.4rem; height: 2.4rem; font-weight: 700;
  border-radius: 50%; color: var(--accent); background: var(--tint); text-transform: uppercase; }
.pair { display: flex; align-items: center; justify-content: center; gap: .6rem; margin: 0 0 1.25rem; }
.pair .avatar { width: 3.4rem; height: 3.4rem; font-size: 1.4rem; border-radius: 15px; }
.pair .avatar svg { width: 1.8rem; height: 1.8rem; }
.pair i { width: 2.6rem; border-top: 2px dashed var(--line); }
.note, .bad, .good { padding: .7rem .9rem; border-radius: 10px; background: var(--tint); }
.bad { color: var(--bad); background: var(--bad-tint); font-weight: 600; }
.good { background: var(--good-tint); }
.mark { display: grid; place-items: center; width: 3.2rem; height: 3.2rem; margin: 0 0 1rem;
  border-radius: 50%; color: var(--good); background: var(--good-tint); }
.mark.off { color: var(--soft); background: var(--tint); }
.mark svg { width: 1.7rem; height: 1.7rem; }
nav { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; margin: -.5rem 0 1.5rem;
  border-bottom: 1px solid var(--line); }
nav a { padding: .55rem 0; color: var(--soft); text-decoration: none; border-bottom: 2px solid transparent;
  margin-bottom: -1px; }
nav a:hover { color: var(--ink); }
nav a[aria-current] { color: var(--ink); font-weight: 600; border-color: var(--accent); }
.list { padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 12px; }
.list > li { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .9rem 1rem; }
.list > li + li { border-top: 1px solid var(--line); }
.list > li > div { flex: 1 1 12rem; min-width: 0; }
.list code { white-space: nowrap; }
.list p { margin: 0; }
.tag { display: inline-block; padding: .05rem .5rem; font-size: .8rem; border-radius: 99px;
  background: var(--tint); color: var(--code); }
.tag.warn { background: var(--bad-tint); color: var(--bad); }
.or { display: flex; align-items: center; gap: .8rem; margin: 1.25rem 0; color: var(--soft); font-size: .9rem; }
.or::before, .or::after { content: ''; flex: 1; border-top: 1px solid var(--line); }
.foot { margin: 1.1rem 0 0; color: var(--soft); font-size: .9rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.soft { color: var(--soft); font-size: .9rem; }
@media (max-width: 30rem) { body { padding: 1rem .75rem; } main { padding: 1.35rem 1.15rem; }
  .level { grid-template-columns: 1fr; } }
`
