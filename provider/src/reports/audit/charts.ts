import { forHtml } from "../escape";

/** One bar. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** Something that a person has to look into. */
  readonly isAlarm?: boolean;
}

export interface Chart {
  /** Letters and dashes: ids of the page begin with it. */
  readonly id: string;
  readonly title: string;
  /** In a sentence, for who does not see it. */
  readonly summary: string;
  readonly bars: readonly Bar[];
}

const width = 360;
const row = 22;
const labelWidth = 150;
const numberWidth = 52;
const mostLetters = 22;

/** Bars from left to right, each with its label and number: no axis is needed to read them. */
export function barChart(chart: Chart): string {
  const { bars } = chart;
  const room = width - labelWidth - numberWidth;
  const most = mostOf(bars);
  const rows = bars.map(({ label, value, isAlarm }, index) => {
    const y = index * row;
    const length = lengthOf(value, most, room);
    return `<g><title>${forHtml(label)}: ${value}</title><text x="${labelWidth - 8}" y="${y + 15}" class="label">${forHtml(label, mostLetters)}</text><rect x="${labelWidth}" y="${y + 4}" width="${length}" height="14" class="${barClass(isAlarm)}"/><text x="${labelWidth + length + 6}" y="${y + 15}">${value}</text></g>`;
  });
  return figure(chart, rows.join(""), bars.length * row + 4);
}

const columnHeight = 96;
const above = 18;
const below = 20;

/** Bars from bottom to top, in the order of time or of a score. */
export function columnChart(chart: Chart): string {
  const { bars } = chart;
  const most = mostOf(bars);
  const step = width / Math.max(1, bars.length);
  const thick = Math.min(40, Math.round(step * 0.7));
  const columns = bars.map(({ label, value, isAlarm }, index) => {
    const length = lengthOf(value, most, columnHeight);
    const middle = Math.round(step * (index + 0.5));
    const top = above + columnHeight - length;
    const number = value === 0 ? "" : `<text x="${middle}" y="${top - 4}" class="middle">${value}</text>`;
    return `<g><title>${forHtml(label)}: ${value}</title><rect x="${middle - Math.round(thick / 2)}" y="${top}" width="${thick}" height="${length}" class="${barClass(isAlarm)}"/>${number}<text x="${middle}" y="${above + columnHeight + 15}" class="middle tick">${forHtml(label, 8)}</text></g>`;
  });
  const ground = `<path d="M0 ${above + columnHeight + 0.5}H${width}" class="axis"/>`;
  return figure(chart, columns.join("") + ground, above + columnHeight + below);
}

function figure({ id, title, summary, bars }: Chart, content: string, height: number): string {
  const picture =
    bars.length === 0
      ? '<p class="soft">Nothing to show.</p>'
      : `<svg role="img" aria-labelledby="${id}-t ${id}-d" viewBox="0 0 ${width} ${height}"><title id="${id}-t">${forHtml(title)}</title><desc id="${id}-d">${forHtml(summary, 1000)}</desc>${content}</svg>`;
  return `<figure><figcaption>${forHtml(title)}</figcaption>${picture}</figure>`;
}

function mostOf(bars: readonly Bar[]): number {
  return Math.max(1, ...bars.map(({ value }) => value));
}

/** What is there is never invisible. */
function lengthOf(value: number, most: number, room: number): number {
  return value === 0 ? 0 : Math.max(2, Math.round((value / most) * room));
}

function barClass(isAlarm = false): string {
  return isAlarm ? "bar alarm" : "bar";
}
