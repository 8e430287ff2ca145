/** A piece of a line. Text from outside is in it as it is: each format escapes. */
export type Inline =
  | string
  /** `tone`: the colour of a page. */
  | { readonly strong: string; readonly tone?: "error" | "warning" | "info" }
  /** In brackets. */
  | { readonly tag: string }
  /** Opens the chapter with the id `to`, else a page where it is an https URL; the text of it alone where it is not. */
  | { readonly link: string; readonly to?: string }
  /** `isWhole`: never cut to a few words. */
  | { readonly code: string; readonly isWhole?: boolean }
  /** Names in a row: a comment has the first few and counts the rest, unless all are to be there. */
  | {
      readonly names: readonly string[];
      readonly isWhole?: boolean;
      readonly isCode?: boolean;
      readonly isStrong?: boolean;
      /** Each on a line of its own, and none left out. */
      readonly areLines?: boolean;
    };

export interface Line {
  /** Indentation, in steps. */
  readonly depth: number;
  readonly parts: readonly Inline[];
}

export type Table = ReturnType<typeof tableOf>;

/** The content of a table cell: nothing, one piece or several. */
export type Cell = Inline | number | null | Inline[];

/** The cell of a row, by the name of its column. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/** Columns of a table that a page shows in another way, by name. */
interface Looks {
  /** Noun for the rows, if the page can search them. */
  readonly search?: string;
  /** Beside the other columns. */
  readonly wide?: readonly string[];
  readonly narrow?: readonly string[];
  /** In the second line of a row, with its name. */
  readonly below?: readonly string[];
}

/** Something that stays together. */
export interface Entry {
  readonly lines: readonly Line[];
  readonly table?: Table | undefined;
}

export interface Chapter {
  readonly title: string;
  /** Id that links of the page go to. */
  readonly id?: string;
  /** Behind the title. */
  readonly count?: number;
  /** `alarm`: in a box. */
  readonly look: "alarm" | "open" | "folded";
  readonly entries: readonly Entry[];
  /** Below the entries; may lose rows. */
  readonly table?: Table | undefined;
  /** Inside of this one. */
  readonly details?: readonly Chapter[];
  /** Characters, as written, where not all of a comment fits: text from outside takes no room from the rest. */
  readonly share?: number;
  /** Noun for the entries, for the note about entries that are left out. */
  readonly what: string;
}

export function line(...parts: readonly Inline[]): Line {
  return { depth: 0, parts };
}

/** An entry of one line. */
export function entry(...parts: readonly Inline[]): Entry {
  return { lines: [line(...parts)] };
}

/** `what`: the entries or rows, as `Chapter.what`. */
export function openChapter(title: string, what: string, ...entries: readonly Entry[]) {
  return { title, what, look: "open", entries } as const satisfies Chapter;
}

/** A chapter with a table that a page can search. */
export function tableChapter<Row>(
  title: string,
  what: string,
  rows: readonly Row[],
  columns: Columns<Row>,
  looks: Looks = {},
  ...entries: readonly Entry[]
): Chapter {
  const table = rows.length > 0 && { table: tableOf(rows, columns, { search: what, ...looks }) };
  return { ...openChapter(title, what, ...entries), count: rows.length, ...table };
}

/** A column is one of numbers if a cell of it is. */
export function tableOf<Row>(rows: readonly Row[], columns: Columns<Row>, looks: Looks = {}) {
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

/** Names in a cell of a table, each on a line of its own. */
export function linesCell(names: readonly string[]): Inline[] {
  return names.length === 0 ? [] : [{ names, areLines: true }];
}

/** Lines of a message: leading spaces indent them. */
export function linesOf(text: string): Line[] {
  return text
    .split("\n")
    .filter((one) => one.trim() !== "")
    .map((one) => ({ depth: Math.ceil((/^ */.exec(one)?.[0].length ?? 0) / 2), parts: [one.trim()] }));
}

/** Renders a text and keeps the white space around it, which separates it from its neighbours. */
export function withEdges(text: string, render: (text: string) => string): string {
  const [, begin = "", inner = "", end = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return `${begin && " "}${render(inner)}${end && " "}`;
}
