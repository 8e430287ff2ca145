/** What a report has besides the style of all pages. */
export const style = `
:root { --bar: #2f6f9f; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --bar: #6fb3e0; --warn: #e6b85c; } }
main { max-width: 100rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .4rem; }
a { color: inherit; text-underline-offset: .15em; }
footer { overflow-wrap: anywhere; }
.facts { margin: .75rem 0; display: grid; gap: .15rem; }
.facts div { display: grid; grid-template-columns: 11rem 1fr; gap: .75rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: .5rem 0; border-block: 1px solid var(--line); }
nav li { border: 0; padding: 0; }
.limits ul { columns: 24rem auto; column-gap: 2rem; font-size: .93em; }
.limits li { break-inside: avoid; border: 0; padding: .25rem 0; }
.needs li { padding: .35rem 0; }
.needs strong { display: inline-block; min-width: 3.5rem; }
.needs .error strong { color: var(--alarm); }
.needs .warning strong { color: var(--warn); }
.needs .info strong { color: var(--soft); }
.tools { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: .75rem 0 .25rem; }
.tools label { display: grid; font-size: .87em; color: var(--soft); }
.tools input, .tools select, .tools button { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: .3rem; padding: .25rem .5rem; }
.tools input { width: min(22rem, 80vw); }
.tools output { color: var(--soft); }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 2px solid var(--bar); outline-offset: 2px; }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
tr[hidden] { display: none; }
@media screen { .rest { display: none; } }
table[data-search] { table-layout: fixed; }
table[data-search] .number { width: 5.5rem; }
table[data-search] .wide { width: 18%; }
table[data-search] .narrow { width: 7.5rem; }
table[data-search] th { overflow-wrap: anywhere; }
@media screen and (max-width: 64rem) {
  .facts div { grid-template-columns: 1fr; gap: 0; }
  thead { display: none; }
  table[data-search] .number { width: auto; }
  .limits ul { columns: auto; }
}
@page { size: landscape; margin: 14mm 12mm 16mm; @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 9pt sans-serif; } }
@media print {
  :root { --bar: #555; --warn: #000; }
  nav, .tools { display: none; }
  tr[hidden] { display: table-row; }
  thead { display: table-header-group; }
  /* Chromium leaves buttons out of a head that it repeats on the next page. */
  th button { display: contents; }
  section { break-inside: auto; }
  body { font-size: 8.5pt; }
  code { background: none; padding: 0; }
}
`;
