/** Returns rows of cells as aligned text: the first column to the left, the others to the right. */
export function table(head, rows) {
  const [first, ...rest] = [head, ...rows].map((row) => row.map((cell) => String(cell ?? "")));
  const widths = head.map((_, column) => Math.max(...[first, ...rest].map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])))
      .join("  ");
  return [line(first), widths.map((width) => "-".repeat(width)).join("  "), ...rest.map(line)].join("\n");
}

export const seconds = (ms) => (ms === undefined ? "-" : (ms / 1000).toFixed(2));
export const ratio = (of, to) => (of === undefined || !to ? "-" : `${(of / to).toFixed(2)} x`);
export const megabytes = (bytes) => (bytes === undefined ? "-" : (bytes / 1024 / 1024).toFixed(1));
