import { kindDecidedBy, type RequestKind } from "page-guard-csp";

/** Message of a browser's console about a blocked request. */
export interface ConsoleMessage {
  /** `inline`, `eval` and `wasm-eval`: what has no URL. */
  readonly url: string;
  /** Empty where the message names none. */
  readonly directive: string;
  readonly kind?: RequestKind;
}

/** Chrome and Safari begin the reason with the first two, Firefox with the others. */
const reason = /\s(?:because|violates|from being)\s|\s\(“/;

/** Chrome quotes the URL, Firefox says `at`, Safari does neither; each has it right before the reason. */
const blocked = /(?:'(\S+)'|\bat (\S+)|\s([a-z][a-z0-9+.-]*:\S+))$/i;

/** The first that is there says it: of Chrome what was asked for, of Firefox, of Safari, of Chrome what decides. */
const directives = [
  /'([a-z-]+)' was not explicitly set/,
  /\(“?([a-z]+(?:-[a-z]+)+)”?\)/,
  /\bthe ([a-z-]+) directive\b/,
  /(?:directive:?|script:) ["“']?([a-z]+(?:-[a-z]+)+|sandbox)/,
];

/** Beginning of Chrome's message, for one that is cut before it names the directive. */
const begun = /\bRefused to (?:load the (script|image|font)|(connect) to|(frame)) '/;
const kinds: Readonly<Record<string, RequestKind>> = {
  script: "script",
  image: "image",
  font: "font",
  connect: "connection",
  frame: "frame",
};

const withoutUrl = [
  ["wasm-eval", /\bwebassembly\b/i],
  ["eval", /\beval/i],
  ["inline", /\b(?:script|styles?|stylesheet|event handler|JavaScript URL)\b/i],
] as const;

/**
 * Takes URL and directive out of what the console of Chrome, Firefox or Safari says in English; a URL in quotes or angle
 * brackets counts as said, too. Undefined: the text is nothing of the kind.
 */
export function readConsoleMessage(text: string): ConsoleMessage | undefined {
  const quoted = /^\s*["'`<“‘«]+([^\s"'`<>“”‘’«»]+)["'`>”’»]+\s*$/.exec(text)?.[1];
  if (quoted !== undefined) return { url: quoted, directive: "" };
  const [, ...words] = begun.exec(text) ?? [];
  const ofWord = kinds[words.find((one) => one !== undefined) ?? ""];
  const isOfPolicy = /content[- ]security[- ]policy|\bCSP directive|page[’']s settings/i.test(text);
  if (!isOfPolicy && ofWord === undefined) return undefined;
  // What follows may quote the whole policy.
  const [said = ""] = text.split(reason);
  const [, ...urls] = blocked.exec(said) ?? [];
  const url = urls.find((one) => one !== undefined) ?? withoutUrl.find(([, words]) => words.test(said))?.[0];
  if (url === undefined) return undefined;
  const named = directives.map((pattern) => pattern.exec(text)?.[1]).find((one) => one !== undefined) ?? "";
  const directive = /\bevent handler\b/.test(said) ? "script-src-attr" : named;
  const kind = kindDecidedBy(directive) ?? ofWord;
  return { url, directive, ...(kind && { kind }) };
}
