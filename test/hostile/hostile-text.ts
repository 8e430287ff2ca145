/**
 * Whether nothing in a printed text does anything but be read: no characters that a terminal or a reader's eye obeys,
 * no line that a CI carries out, no colour tag of the engine. Written apart from what makes texts fit.
 */
export function isHarmless(text: string): boolean {
  return harmIn(text) === undefined;
}

/** The first harmful thing in a text and what stands around it. */
export function harmIn(text: string): string | undefined {
  for (const [name, pattern] of harms) {
    const found = pattern.exec(text);
    if (found) {
      const around = text.slice(Math.max(0, found.index - 60), found.index + 60);
      return `${name} in ${JSON.stringify(around)}`;
    }
  }
  return undefined;
}

const harms: readonly (readonly [string, RegExp])[] = [
  ["a control character", /(?!\n)\p{Cc}/u],
  ["a separator of lines", /[\u2028\u2029]/],
  ["a character that turns the direction", /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/],
  ["an invisible character", /[\u00ad\u200b-\u200d\u2060-\u2064\ufeff\u{e0000}-\u{e0fff}]/u],
  ["a lone half of a pair", /[\ud800-\udfff]/u],
  ["a workflow command", /^\s*::\s*\w/m],
  ["a command of a CI", /##\w*\[/],
  ["a colour tag of the engine", /<\{%/],
];
