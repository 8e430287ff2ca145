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

/** What somebody could call a rule, with everything in it that has ever done harm in a terminal or a log. */
export const hostileText = [
  "Evil \u001b[2K\u001b[1A\u0007\u009b31m\r\nFAKE LINE\n::stop-commands::evil\u2028::warning::fake\u0085::error::fake",
  "\u202eevil\u2066\u200b\u00ad\u{e0041} ##[error]fake ##vso[task.setvariable variable=a]b ##teamcity[x]",
  "<{%bogus%}> \ud800 | ![x](https://evil.example) <script>",
  `${"long ".repeat(2000)}<{%`,
].join(" ");

/** A message is harmless, nothing from outside has made a line of its own in it, and it is short. */
export function whatIsWrongWith(text: string, longest: number): string | undefined {
  const harm = harmIn(text);
  if (harm !== undefined) return harm;
  if (/^\s*FAKE LINE/m.test(text)) return "a line that was made up outside";
  if (text.length > longest) return `${text.length} characters`;
  return undefined;
}
