/** A piece of a line. Text from outside needs no escaping here, because each output format escapes it. */
export type Inline =
  | string
  /** Strong text. `tone` chooses its colour on a page. */
  | { readonly strong: string; readonly tone?: "error" | "warning" | "info" }
  /** Text in square brackets. */
  | { readonly tag: string }
  /** Link to the chapter with the id `to`. Without `to`, a link to the URL in `link`; plain text if `link` is not an https URL. */
  | { readonly link: string; readonly to?: string }
  /** Code. With `isWhole`, the usual limit of its length does not apply. */
  | { readonly code: string; readonly isWhole?: boolean }
  /** List of names. A comment shows the first few and counts the rest, unless `isWhole` or `areLines` is set. */
  | {
      readonly names: readonly string[];
      readonly isWhole?: boolean;
      readonly isCode?: boolean;
      readonly isStrong?: boolean;
      /** Whether all names are shown, each on a line of its own. Plain text separates them with semicolons instead. */
      readonly areLines?: boolean;
    };

export interface Line {
  /** Indentation, in steps. */
  readonly depth: number;
  readonly parts: readonly Inline[];
}

export type Table = ReturnType<typeof makeTable>;

export type Cell = Inline | number | null | Inline[];

/** Functions that make the cells of a row, by the name of the column. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/** The look of a table: the columns with a special width or place, and the word that the search box uses for the rows. */
interface Looks {
  /** Word for the rows. If it is absent, the page has no search box for the table. */
  readonly search?: string;
  readonly wide?: readonly string[];
  readonly narrow?: readonly string[];
  /** Columns that HTML shows in a second line of each row. Markdown puts them into one column, `more`, as `name: value`. */
  readonly below?: readonly string[];
}

/** Lines and a table that stay together. */
export interface Entry {
  readonly lines: readonly Line[];
  readonly table?: Table | undefined;
}

export interface Chapter {
  readonly title: string;
  readonly id?: string;
  /** Number after the title. */
  readonly count?: number;
  /** Look on a page and in Markdown. An `alarm` is in a box. Without a look, the chapter is unfolded and has no box. */
  readonly look?: "alarm" | "folded" | undefined;
  readonly entries?: readonly Entry[];
  /** Table below the entries. If a comment is too long, rows of this table are left out. */
  readonly table?: Table | undefined;
  readonly details?: readonly Chapter[];
  /**
   * Maximum number of characters of this chapter in a comment that has to be cut. The limit leaves room for the other chapters,
   * even if this chapter contains long text from outside.
   */
  readonly share?: number;
  /** Word for the entries and rows, such as `policies`, for the search box and for notes about entries that are left out. */
  readonly what: string;
}

export function line(...parts: readonly Inline[]): Line {
  return { depth: 0, parts };
}

export function entry(...parts: readonly Inline[]): Entry {
  return { lines: [line(...parts)] };
}

/** Adds the number of rows to a chapter. If there are rows, also adds a table that readers of an HTML page can search. */
export function tableChapter<Row>(
  chapter: Chapter,
  rows: readonly Row[],
  columns: Columns<Row>,
  looks: Looks = {},
): Chapter {
  const table = rows.length > 0 && { table: makeTable(rows, columns, { search: chapter.what, ...looks }) };
  return { ...chapter, count: rows.length, ...table };
}

/** Makes a table. A column counts as numeric if any of its cells is a number. */
export function makeTable<Row>(rows: readonly Row[], columns: Columns<Row>, looks: Looks = {}) {
  const { search, wide, narrow, below } = looks;
  const cells = rows.map((row) => Object.values(columns).map((cell) => [cell(row) ?? []].flat()));
  return {
    search,
    heads: Object.keys(columns).map((name, at) => ({
      name,
      isNumber: cells.some((row) => typeof row[at]?.[0] === "number"),
      width: wide?.includes(name) ? "wide" : narrow?.includes(name) ? "narrow" : undefined,
      isBelow: below?.includes(name) === true,
    })),
    rows: cells.map((row) =>
      row.map((cell) => cell.map((part) => (typeof part === "number" ? String(part) : part))),
    ),
  };
}

/** Makes a cell of names, each on a line of its own. */
export function makeLinesCell(names: readonly string[]): Inline {
  return { names, areLines: true };
}

/** Returns the lines of a message. Leading spaces become indentation. */
export function splitLines(text: string): Line[] {
  return text
    .split("\n")
    .filter((one) => one.trim() !== "")
    .map((one) => ({ depth: Math.ceil((/^ */.exec(one)?.[0].length ?? 0) / 2), parts: [one.trim()] }));
}

/** Renders a string. White space at its beginning or end becomes one space, to keep the string apart from its neighbours. */
export function withEdges(text: string, render: (text: string) => string): string {
  const [, begin = "", inner = "", end = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return `${begin && " "}${render(inner)}${end && " "}`;
}
