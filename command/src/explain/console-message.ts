import { isKnownDirective, kindDecidedBy, type RequestKind } from "page-guard-csp";

/** Message of a browser's console about a blocked request. */
export interface ConsoleMessage {
  /** `inline`, `eval` and `wasm-eval`: what has no URL. Empty: the page itself. */
  readonly url: string;
  /** Empty where the message names none. */
  readonly directive: string;
  readonly kind?: RequestKind;
}

/** Browsers cut long URLs; of a longer text, anyone may be the author. */
const longest = 20_000;

/** Chrome and Safari begin the reason with the first four, Firefox with the others. */
const reason = /\s(?:because|violates|is denied by|from being)\s|\s\(["“]/;

/** Chrome quotes the URL, the others do not; each has it right before the reason. Only data has spaces in it. */
const blocked = /[\s'](data:.+?|[a-z][a-z0-9+.-]*:\S*?)(?:'(?: in a frame)?|\.?\sRefused to connect)?$/is;

/** The first that is there says it: of Chrome what was asked for, of Firefox, of Safari, of Chrome what decides. */
const directives = [
  /'([a-z-]+)' was not explicitly set/,
  /(?<=\s)\(["“]?([a-z]+(?:-[a-z]+)+)["”]?\)(?=[\s.]|$)/,
  /\bthe ([a-z-]+) directive\b/,
  /(?:directive:?|script:) ["“']?([a-z]+(?:-[a-z]+)+|sandbox)/,
];

/** Returns the directive of an inline attribute, which browsers do not name. */
function attributeDirective(said: string, text: string): string | undefined {
  if (/\bevent handler\b/.test(said)) return "script-src-attr";
  const isStyle = /\binline style\b/i.test(said) && text.includes("hashes do not apply");
  return isStyle ? "style-src-attr" : undefined;
}

/** Words of a browser about what it blocks, or would block. */
const blocking =
  /\brefused to\b|\bviolates\b|\bis denied by\b|[’']s settings (?:blocked|would block|observed)\b/i;

/** Names the policy as the reason; Chrome begins like this even where a message is cut before it. */
const ofPolicy =
  /content[- ]security[- ]policy|\bCSP directive|[’']s settings|\brefused to (?:load the \w+|connect to|frame|create a worker from) '/i;

/** Words for the kind, for a message that names no directive, or one for all kinds. */
const kinds: readonly (readonly [RegExp, RequestKind])[] = [
  [/\bworker\b/i, "worker"],
  [/\bconnect(?:ing)?\b|\bbeacon\b/i, "connection"],
  [/\bfram(?:e|ing)\b/i, "frame"],
  [/\bimage\b/i, "image"],
  [/\bfont\b/i, "font"],
  [/\bstyle(?:sheet)?\b/i, "style"],
  [/script\b|\bWebAssembly\b/i, "script"],
];

const withoutUrl = [
  ["wasm-eval", /\bwebassembly\b|\bat wasm-eval\b/i],
  ["eval", /\bevaluat\w+ a string\b|\bJavaScript eval\b|\bat eval\b|\bbecause 'unsafe-eval'/i],
  [
    "inline",
    /\binline (?:script|style|event|speculation)|\bevent handler\b|\bexecute a script\b|\bapply a stylesheet\b|\bJavaScript URL\b|\bat (?:inline|self)\b/i,
  ],
] as const;

/**
 * Takes URL and directive out of what the console of Chrome, Firefox or Safari says in English; a URL in quotes or angle
 * brackets counts as said, too. Undefined: the text is nothing of the kind, such as a warning about the policy itself.
 */
export function readConsoleMessage(text: string): ConsoleMessage | undefined {
  const quoted = /^\s*["'`<“‘«]+([^\s"'`<>“”‘’«»]+)["'`>”’»]+\s*$/.exec(text)?.[1];
  if (quoted !== undefined) return { url: quoted, directive: "" };
  if (text.length > longest || !ofPolicy.test(text) || !blocking.test(text)) return undefined;
  // What follows may quote the whole policy.
  const [said = ""] = text.split(reason);
  const named =
    directives.map((pattern) => pattern.exec(text)?.[1]).find((one = "") => isKnownDirective(one)) ?? "";
  const found = blocked.exec(said)?.[1];
  const url = found ?? withoutUrl.find(([, words]) => words.test(text))?.[0];
  if (url === undefined) return named === "frame-ancestors" ? { url: "", directive: named } : undefined;
  const directive = attributeDirective(said, text) ?? named;
  const isGeneral = directive === "" || directive === "default-src";
  const words = said.replace(url, "");
  const kind = isGeneral ? kinds.find(([word]) => word.test(words))?.[1] : kindDecidedBy(directive);
  return { url, directive, ...(kind && { kind }) };
}
