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
  readonly most?: number;
}

/** Characters that the note on what was left out of one section may take. */
const noteRoom = 200;

/** The document, within `most` characters. Earlier sections keep their items first; what is left out is counted. */
export function fitted(head: string, sections: readonly Section[], foot: string, most: number): string {
  const whole = [head, ...sections.map((one) => one.before + one.items.join("") + one.after), foot].join("");
  if (whole.length <= most) return whole;
  const frames = sections.reduce(
    (sum, { before, after }) => sum + before.length + after.length + noteRoom,
    0,
  );
  let room = most - head.length - foot.length - frames - noteRoom;
  let leftOut = 0;
  const parts = sections.map(({ before, items, after, what, edge = "", most: own = room }) => {
    const kept: string[] = [];
    let left = Math.min(own, room);
    for (const item of items) {
      if (item.length > left) break;
      left -= item.length;
      room -= item.length;
      kept.push(item);
    }
    const cut = items.length - kept.length;
    leftOut += cut;
    const note =
      cut === 0 ? "" : `${edge}\n${edge}_… ${cut} of ${items.length} are not shown here (${what})._\n`;
    return before + kept.join("") + note + after;
  });
  const all = sections.reduce((sum, { items }) => sum + items.length, 0);
  const note = `\n**Cut to fit a comment: ${leftOut} of ${all} entries are not shown. The HTML report has them all.**\n`;
  return [head, ...parts, note, foot].join("");
}
