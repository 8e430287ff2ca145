import { firstRows } from "../blocks/html";

/**
 * Runs in the page: searches and sorts the tables that say what their rows are. It reads the text of a row once, and shows
 * at most `firstRows` until asked for all; on paper all rows are there. It makes nothing out of text but text.
 */
export const tableScript = `
(() => {
  "use strict";
  const most = ${firstRows};
  const element = (name, text, parent) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    parent?.append(made);
    return made;
  };
  const labelled = (text, control, parent) => {
    element("label", text, parent).append(control);
    return control;
  };
  const setUp = (table) => {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const names = heads.map((head) => head.textContent);
    const rest = table.tBodies[1];
    const size = body.rows.length + (rest?.rows.length ?? 0);
    let inOrder;
    let rows;
    let texts;
    let isMoved = false;
    let isAll = false;
    let sorted = -1;
    let isDown = false;
    const tools = element("div");
    tools.className = "tools";
    tools.setAttribute("role", "group");
    tools.setAttribute("aria-label", "Search and sort " + table.dataset.search);
    const search = labelled("Search " + table.dataset.search, element("input"), tools);
    search.type = "search";
    search.autocomplete = "off";
    const select = labelled("Sort by", element("select"), tools);
    element("option", "as listed", select).value = "-1";
    names.forEach((name, index) => (element("option", name, select).value = String(index)));
    const turn = element("button", "Reverse", tools);
    turn.type = "button";
    const count = element("output", undefined, tools);
    const more = element("button", undefined, tools);
    more.type = "button";
    const tell = (found, shown) => {
      count.textContent = found === shown ? found + " of " + size : "first " + shown + " of " + found + (found === size ? "" : " found, " + size + " in all");
      more.hidden = found === shown;
      more.textContent = "Show all " + found;
    };
    const begin = () => {
      if (inOrder) return;
      inOrder = [...body.rows, ...(rest?.rows ?? [])];
      rows = inOrder;
      for (const row of rest?.rows ?? []) row.hidden = true;
      if (rest) {
        body.append(...rest.rows);
        rest.remove();
      }
    };
    const prepare = () => {
      begin();
      texts ??= new Map(inOrder.map((one) => [one, one.textContent.toLowerCase()]));
    };
    const show = () => {
      prepare();
      const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
      const found = words.length === 0 ? rows : rows.filter((row) => words.every((word) => texts.get(row).includes(word)));
      const first = isAll ? found : found.slice(0, most);
      const shown = new Set(first);
      // The others are not seen: their places are put right on paper.
      if (isMoved) body.prepend(...first);
      for (const row of rows) if (row.hidden === shown.has(row)) row.hidden = !row.hidden;
      tell(found.length, shown.size);
    };
    const keyOf = (row) => row.cells[sorted].textContent.trim();
    const sort = () => {
      begin();
      heads.forEach((head, index) => {
        if (index === sorted) head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
        else head.removeAttribute("aria-sort");
      });
      select.value = String(sorted);
      rows = [...inOrder];
      if (sorted >= 0) {
        const keys = new Map(rows.map((row) => [row, keyOf(row)]));
        const isNumber = heads[sorted].classList.contains("number");
        rows.sort((a, b) => {
          const [one, other] = [keys.get(a), keys.get(b)];
          if ((one === "") !== (other === "")) return one === "" ? 1 : -1;
          const order = isNumber ? Number.parseFloat(one) - Number.parseFloat(other) : one < other ? -1 : one > other ? 1 : 0;
          return isDown ? -order : order;
        });
      } else if (isDown) rows.reverse();
      isMoved = true;
      show();
    };
    heads.forEach((head, index) => {
      const button = element("button", names[index]);
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        isDown = sorted === index && !isDown;
        sorted = index;
        sort();
      });
    });
    search.addEventListener("input", () => {
      isAll = false;
      show();
    });
    select.addEventListener("change", () => {
      sorted = Number(select.value);
      isDown = false;
      sort();
    });
    turn.addEventListener("click", () => {
      isDown = !isDown;
      sort();
    });
    more.addEventListener("click", () => {
      isAll = true;
      show();
    });
    search.addEventListener("focus", prepare);
    addEventListener("beforeprint", () => {
      if (isMoved) body.append(...rows);
    });
    table.before(tools);
    tell(size, body.rows.length);
  };
  for (const table of document.querySelectorAll("table[data-search]")) if (table.tBodies[0].rows.length > 5) setUp(table);
})();
`;
