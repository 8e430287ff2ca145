/** A part of a document that may lose items, never its head. */
export interface Section {
  readonly before: string;
  readonly items: readonly string[];
  readonly after: string;
  /** What the items are, for the note about those that are left out. */
  readonly what: string;
  /** Written before the note on what was left out: the `> ` of a quotation. */
  readonly edge?: string;
  /** Characters that its items may take where not all fit. */
  readonly most?: number | undefined;
}

/** Characters that the note on what was left out of one section may take. */
const noteRoom = 200;

/** The document, within `most` characters. Earlier sections keep their items first; what is left out is counted. */
export function fitted(head: string, sections: readonly Section[], foot: string, most: number): string {
  const whole = [head, ...sections.map((one) => one.before + one.items.join("") + one.after), foot].join("");
  if (whole.length <= most) return whole;
  const [all, frame] = [sections.flatMap(({ items }) => items), noteRoom * (sections.length + 1)];
  let room = most - (whole.length - all.join("").length) - frame;
  let leftOut = 0;
  const parts = sections.map(({ before, items, after, what, edge = "", most: own = room }) => {
    let left = Math.min(own, room);
    const cutAt = items.findIndex((item) => {
      left -= item.length;
      return left < 0;
    });
    const kept = (cutAt === -1 ? items : items.slice(0, cutAt)).join("");
    room -= kept.length;
    const cut = cutAt === -1 ? 0 : items.length - cutAt;
    leftOut += cut;
    const note = cut && `${edge}\n${edge}_… ${cut} of ${items.length} are not shown here (${what})._\n`;
    return `${before}${kept}${note || ""}${after}`;
  });
  const note = `\n**Cut to fit a comment: ${leftOut} of ${all.length} entries are not shown. The HTML report has them all.**\n`;
  return [head, ...parts, note, foot].join("");
}
