/** Makes empty header cells ordinary cells: a screen reader would announce a `th` without text as a heading without a name. */
export function plainHeads(md) {
  md.core.ruler.push("plain-heads", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== "th_open" || tokens[index + 1].content !== "") continue;
      for (const cell of [token, tokens[index + 2]]) cell.tag = "td";
    }
  });
}

/** Makes indented code a fenced block, which scrolls by itself. */
export function fencedCode(md) {
  md.core.ruler.push("fenced-code", ({ tokens }) => {
    for (const token of tokens.filter(({ type }) => type === "code_block")) {
      token.type = "fence";
      token.info = "";
    }
  });
}
