/** One style for all HTML pages: for light and dark screens, for phones, and for paper. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --line: #d0d7de; --shade: #f3f5f7; --alarm: #a40e26; --alarm-paper: #fff0f0; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebee; --soft: #a8b1ba; --paper: #14181d; --line: #3b434c; --shade: #1e242b; --alarm: #ff9a9a; --alarm-paper: #2c1416; --warn: #e6b85c; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 90rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 .4rem; }
a { color: inherit; text-underline-offset: .15em; overflow-wrap: anywhere; }
p, .line { margin: .4rem 0; }
.lead { font-weight: 600; font-size: 1.1rem; }
.undone { border: 3px solid var(--alarm); border-radius: .4rem; background: var(--alarm-paper); padding: .75rem 1rem; margin: 1.25rem 0; }
.undone h2 { border: 0; margin: 0; }
.undone h2, .failed, .alerts li, strong.error { color: var(--alarm); }
strong.warning { color: var(--warn); }
.soft, .code, strong.info { color: var(--soft); }
.code { font-size: .85em; }
ul { list-style: none; margin: 0; padding: 0; }
li { padding: .6rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
li:last-child, nav li, .alerts li, #not-covered li { border-bottom: 0; }
.in-1 { padding-left: 1.2rem; }
.in-2 { padding-left: 2.4rem; }
.alerts li { padding: .15rem 0; font-weight: 600; }
.facts { margin: .75rem 0; display: grid; gap: .15rem; }
.facts div { display: grid; grid-template-columns: 11rem 1fr; gap: .75rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: .5rem 0; border-block: 1px solid var(--line); }
nav li, #glance .line, #not-covered .line { padding: 0; margin: 0; }
#not-covered ul { columns: 24rem auto; column-gap: 2rem; font-size: .93em; }
#not-covered li { break-inside: avoid; padding: .25rem 0; }
#glance li { padding: .35rem 0; }
#glance strong { display: inline-block; min-width: 3.5rem; }
.tools { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: .75rem 0 .25rem; }
.tools label { display: grid; font-size: .87em; }
.tools label, .tools output { color: var(--soft); }
.tools input, .tools button { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: .3rem; padding: .25rem .5rem; }
.tools input { width: min(22rem, 80vw); }
code { font: .87em/1.4 ui-monospace, monospace; background: var(--shade); padding: .05em .3em; border-radius: .25em; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; margin: .5rem 0; font-size: .93em; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem; border: 1px solid var(--line); overflow-wrap: anywhere; }
td { min-width: 5.5rem; }
th { background: var(--shade); }
table:has(.wide, .narrow) { table-layout: fixed; }
.wide { width: 22%; }
.narrow { width: 7.5rem; }
th.number { width: 7.5rem; }
tbody[hidden] { display: none; }
.below td { border-top: 0; color: var(--soft); font-size: .93em; }
tr:has(+ .below) td { border-bottom: 0; }
.below td > span { margin-right: 1.25rem; }
.below b { white-space: nowrap; }
th:first-child:nth-last-child(-n + 3) { width: 22%; }
.names { display: inline-block; vertical-align: top; }
.number { text-align: right; }
summary { cursor: pointer; font-weight: 600; font-size: 1.15rem; margin: 2rem 0 .5rem; }
.names summary { font: inherit; margin: 0; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
@media screen { tbody.rest { display: none; } }
@media screen and (max-width: 64rem) {
  main { padding: 1rem .75rem 3rem; }
  table, tbody, tr, td, .below td > span { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody { border: 1px solid var(--line); margin-bottom: .5rem; }
  td, td.number { border: 0; padding: .2rem .5rem; text-align: left; }
  td:empty { display: none; }
  td[data-name]::before { content: attr(data-name) ": "; color: var(--soft); }
  .facts div { grid-template-columns: 1fr; gap: 0; }
}
@page { size: landscape; margin: 12mm 10mm 14mm; @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 9pt sans-serif; } }
@media print {
  :root { --ink: #000; --soft: #333; --paper: #fff; --line: #999; --shade: #fff; --alarm: #900; --alarm-paper: #fff; --warn: #000; font-size: 8pt; }
  body { font-size: 1rem; line-height: 1.25; }
  main { max-width: none; padding: 0; }
  code { background: none; padding: 0; }
  th, td { padding: .1rem .3rem; }
  nav, .tools { display: none; }
  tbody[hidden] { display: table-row-group; }
  thead { display: table-header-group; }
  details::details-content { content-visibility: visible; height: auto; }
  li, tr, table[data-search] tbody { break-inside: avoid; }
  h2, h3, summary, ul:has(+ table) { break-after: avoid; }
}
`;
