import { isKnownDirective, kindDecidedBy, type RequestKind } from "page-guard-csp";

export interface ConsoleMessage {
  /** URL of the request; `inline`, `eval` or `wasm-eval` for code without a URL; empty for the page itself. */
  readonly url: string;
  /** Directive that blocked the request; empty if the message neither names nor implies a directive. */
  readonly directive: string;
  readonly kind?: RequestKind;
}

/** Maximum length of a message. No browser writes a longer message, because browsers shorten long URLs. */
const longest = 20_000;

/** Matches the beginning of the reason in a message: `from being` and `(“` in Firefox, the other forms in Chrome and Safari. */
const reason = /\s(?:because|violates|is denied by|from being)\s|\s\(["“]/;

/** Matches the URL right before the reason. Only Chrome puts the URL in quotes. Only `data:` URLs contain spaces. */
const blocked = /[\s'](data:.+?|[a-z][a-z0-9+.-]*:\S*?)(?:'(?: in a frame)?|\.?\sRefused to connect)?$/is;

/** Patterns for the directive, in order of precedence. If Chrome names a directive and its fallback, the directive wins. */
const directives = [
  /'([a-z-]+)' was not explicitly set/,
  /(?<=\s)\(["“]?([a-z]+(?:-[a-z]+)+)["”]?\)(?=[\s.]|$)/,
  /\bthe ([a-z-]+) directive\b/,
  /(?:directive:?|script:) ["“']?([a-z]+(?:-[a-z]+)+|sandbox)/,
];

/** Returns the directive for an inline event handler or `style` attribute, because most messages do not name it. */
function attributeDirective(beforeReason: string, text: string): string | undefined {
  if (/\bevent handler\b/.test(beforeReason)) return "script-src-attr";
  const isStyle = /\binline style\b/i.test(beforeReason) && text.includes("hashes do not apply");
  return isStyle ? "style-src-attr" : undefined;
}

/** Words by which a message says that the browser blocks something, or would block it. */
const blocking =
  /\brefused to\b|\bviolates\b|\bis denied by\b|[’']s settings (?:blocked|would block|observed)\b/i;

/** Words that name the policy as the reason. The last alternative matches the first words of truncated messages from Chrome. */
const ofPolicy =
  /content[- ]security[- ]policy|\bCSP directive|[’']s settings|\brefused to (?:load the \w+|connect to|frame|create a worker from) '/i;

/** Words that reveal the kind of a request if the message names no directive, or only `default-src`. */
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
 * Reads an English message about a blocked request from the console of Chrome, Firefox or Safari. Also accepts a URL in quotes or
 * angle brackets. Returns undefined for anything else, such as a warning about the policy itself.
 */
export function readConsoleMessage(text: string): ConsoleMessage | undefined {
  const quoted = /^\s*["'`<“‘«]+([^\s"'`<>“”‘’«»]+)["'`>”’»]+\s*$/.exec(text)?.[1];
  if (quoted !== undefined) return { url: quoted, directive: "" };
  if (text.length > longest || !ofPolicy.test(text) || !blocking.test(text)) return undefined;
  // Look for the URL only before the reason, because the rest of the message may quote the whole policy.
  const [beforeReason = ""] = text.split(reason);
  const named =
    directives.map((pattern) => pattern.exec(text)?.[1]).find((one = "") => isKnownDirective(one)) ?? "";
  const found = blocked.exec(beforeReason)?.[1];
  const url = found ?? withoutUrl.find(([, words]) => words.test(text))?.[0];
  if (url === undefined) return named === "frame-ancestors" ? { url: "", directive: named } : undefined;
  const directive = attributeDirective(beforeReason, text) ?? named;
  const isGeneral = directive === "" || directive === "default-src";
  const words = beforeReason.replace(url, "");
  const kind = isGeneral ? kinds.find(([word]) => word.test(words))?.[1] : kindDecidedBy(directive);
  return { url, directive, ...(kind && { kind }) };
}
