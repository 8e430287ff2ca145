import { firstRows } from "../blocks/html";

/** Script that adds a search field to tables with `data-search`, and shows `firstRows` rows until the reader asks for all. */
export const tableScript = `
(() => {
  "use strict";
  const add = (parent, name, text) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  };
  for (const table of document.querySelectorAll("table[data-search]")) {
    const rows = [...table.tBodies];
    if (rows.length <= 5) continue;
    const tools = document.createElement("div");
    tools.className = "tools";
    const search = add(add(tools, "label", "Search " + table.dataset.search), "input");
    search.type = "search";
    search.autocomplete = "off";
    const count = add(tools, "output");
    const more = add(tools, "button");
    more.type = "button";
    let texts;
    const show = (most) => {
      const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
      if (words.length > 0) texts ??= rows.map((row) => row.textContent.toLowerCase());
      let found = 0;
      rows.forEach((row, index) => {
        row.hidden = !words.every((word) => texts[index].includes(word));
        if (!row.hidden) found += 1;
        row.classList.toggle("rest", found > most);
      });
      const first = found <= most ? "" : "first " + most + " of ";
      count.textContent = first + found + (found < rows.length ? " found, " + rows.length + " in all" : " " + table.dataset.search);
      more.hidden = found <= most;
      more.textContent = "Show all " + found;
    };
    search.addEventListener("input", () => show(${firstRows}));
    more.addEventListener("click", () => show(Infinity));
    table.before(tools);
    show(${firstRows});
  }
})();
`;
