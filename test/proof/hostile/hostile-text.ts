/**
 * Whether a printed text is only shown: it has no character that controls a terminal or misleads a reader, no line that a CI
 * executes, and no colour tag of the engine. This code is independent of the code that makes texts safe.
 */
export function isHarmless(text: string): boolean {
  return harmIn(text) === undefined;
}

/** Returns the first harmful part of a text, with the text around it. Undefined if there is none. */
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
  ["a line separator", /[\u2028\u2029]/],
  ["a character that changes the text direction", /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/],
  ["an invisible character", /[\u00ad\u200b-\u200d\u2060-\u2064\ufeff\u{e0000}-\u{e0fff}]/u],
  ["a lone surrogate", /[\ud800-\udfff]/u],
  ["a workflow command", /^\s*::\s*\w/m],
  ["a command of a CI", /##\w*\[/],
  ["a colour tag of the engine", /<\{%/],
];

/** Name that somebody could give a rule, with all known ways to do harm in a terminal or a log. */
export const hostileText = [
  "Evil \u001b[2K\u001b[1A\u0007\u009b31m\r\nFAKE LINE\n::stop-commands::evil\u2028::warning::fake\u0085::error::fake",
  "\u202eevil\u2066\u200b\u00ad\u{e0041} ##[error]fake ##vso[task.setvariable variable=a]b ##teamcity[x]",
  "<{%bogus%}> \ud800 | ![x](https://evil.example) <script>",
  `${"long ".repeat(2000)}<{%`,
].join(" ");

/** Returns what is wrong with a message: something harmful, a line from outside, or its length. Undefined if it is fine. */
export function whatIsWrongWith(text: string, longest: number): string | undefined {
  const harm = harmIn(text);
  if (harm !== undefined) return harm;
  if (/^\s*FAKE LINE/m.test(text)) return "a line from outside";
  if (text.length > longest) return `${text.length} characters`;
  return undefined;
}
