/** For the screen in light and dark, for a phone, and for paper. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --line: #d0d7de; --shade: #f3f5f7; --alarm: #a40e26; --alarm-paper: #fff0f0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebee; --soft: #a8b1ba; --paper: #14181d; --line: #3b434c; --shade: #1e242b; --alarm: #ff9a9a; --alarm-paper: #2c1416; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line); }
p, .line { margin: .4rem 0; }
.lead { font-weight: 600; font-size: 1.1rem; }
.undone { border: 3px solid var(--alarm); border-radius: .4rem; background: var(--alarm-paper); padding: .75rem 1rem; margin: 1.25rem 0; }
.undone h2 { color: var(--alarm); border: 0; margin: 0; }
.failed { color: var(--alarm); }
.soft, .code { color: var(--soft); }
.code { font-size: .85em; }
ul { list-style: none; margin: 0; padding: 0; }
li { padding: .6rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
li:last-child { border-bottom: 0; }
.in-1 { padding-left: 1.2rem; }
.in-2 { padding-left: 2.4rem; }
.in-3 { padding-left: 3.6rem; }
.in-4 { padding-left: 4.8rem; }
.alerts li { border: 0; padding: .15rem 0; font-weight: 600; color: var(--alarm); }
code { font: .87em/1.4 ui-monospace, monospace; background: var(--shade); padding: .05em .3em; border-radius: .25em; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; margin: .5rem 0; font-size: .93em; }
caption { text-align: left; color: var(--soft); padding: .2rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem; border: 1px solid var(--line); overflow-wrap: anywhere; }
td { min-width: 5.5rem; }
th { background: var(--shade); overflow-wrap: normal; }
.id { white-space: nowrap; }
.of-2 th:first-child, .of-3 th:first-child { width: 22%; }
.names { display: inline-block; vertical-align: top; }
.names summary { font: inherit; margin: 0; }
.number { text-align: right; }
summary { cursor: pointer; font-weight: 600; font-size: 1.15rem; margin: 2rem 0 .5rem; }
footer { margin-top: 3rem; color: var(--soft); font-size: .85rem; }
@media (max-width: 80rem) {
  .id { white-space: normal; }
}
@media screen and (max-width: 64rem) {
  main { padding: 1rem .75rem 3rem; }
  table, tbody, tr, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { border: 1px solid var(--line); margin-bottom: .5rem; }
  td { border: 0; padding: .2rem .5rem; }
  td:empty { display: none; }
  td::before { content: attr(data-name) ": "; color: var(--soft); }
  .number { text-align: left; }
}
@media print {
  :root { --ink: #000; --soft: #333; --paper: #fff; --line: #999; --shade: #fff; --alarm: #900; --alarm-paper: #fff; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  details::details-content { content-visibility: visible; height: auto; }
  li, tr { break-inside: avoid; }
  h2, summary { break-after: avoid; }
}
`;
