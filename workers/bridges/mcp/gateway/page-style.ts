/** Style of the page: light and dark by the system, one column on a phone. */
export const PAGE_STYLE: string = `
:root { color-scheme: light dark; --back: #fbfaf7; --front: #1c1b18; --soft: #55524a; --line: #b9b4a7; --card: #fff; --accent: #0b5c4a; --warn: #8a2d00; --mark: #ffe08a; }
@media (prefers-color-scheme: dark) { :root { --back: #161513; --front: #ece9e1; --soft: #b3aea1; --line: #5b574d; --card: #201f1c; --accent: #6fd3b8; --warn: #ffab7a; --mark: #6b5200; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--back); color: var(--front); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; margin: 0 0 .5rem; } h4 { font-size: .9rem; margin: 1rem 0 .25rem; }
code, pre { font: .9rem/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: 0; padding: .6rem; max-height: 20rem; overflow: auto; white-space: pre-wrap; border: 1px solid var(--line); border-radius: .3rem; }
.card { margin: 1rem 0; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-left: .35rem solid var(--accent); border-radius: .4rem; }
.changed { border-left-color: var(--warn); } .effect { color: var(--warn); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: 0; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
mark { background: var(--mark); color: inherit; border-radius: .2rem; padding: 0 .15rem; }
pre.exact { unicode-bidi: bidi-override; } .end { display: inline-block; width: 1px; height: 1em; } .warn { color: var(--warn); font-weight: 650; margin: .5rem 0 0; }
details { margin-top: .75rem; } summary { padding: .25rem 0; cursor: pointer; } .halves { table-layout: fixed; } .halves tbody tr:first-child > * { border-bottom: 0; padding-top: .6rem; }
.rule p { margin: .25rem 0 0; } .rule .buttons { margin-top: .6rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0 0; }
button { min-height: 2.75rem; padding: .4rem 1rem; font: inherit; color: var(--front); background: var(--back); border: 1px solid var(--line); border-radius: .4rem; cursor: pointer; }
button[aria-disabled="true"] { opacity: .6; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.note, #status { color: var(--soft); } .note { margin: .5rem 0 0; font-size: .9rem; }
.scroll { overflow-x: auto; } td code { overflow-wrap: break-word; } table { border-collapse: collapse; width: 100%; font-size: .9rem; } th, td { padding: .3rem .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } .buttons button { flex: 1 1 100%; } }
`;
