import { clean, toOneLine } from "../../text/shown";
import type { HttpAnswer } from "./transport";

const replacement = "[token]";
/** Minimum length of a token to remove. No service issues shorter tokens, and a shorter token would match inside other words. */
const shortest = 8;

/** Removes the token wherever the response repeats it. Must run before any other code reads the response. */
export function removeToken(answer: HttpAnswer, token: string): HttpAnswer {
  const headers = Object.entries(answer.headers).map(([name, value]) => [
    name,
    value && blackedOut(value, token),
  ]);
  return { ...answer, body: blackedOut(answer.body, token), headers: Object.fromEntries(headers) };
}

/**
 * Makes a string from the service safe to show: cleans it, removes the token, and shortens the rest. The order matters: hidden
 * characters would keep the token from being found, and shortening first could cut the token, so that a part of it would remain.
 */
export function redact(text: string, token: string): string {
  return clean(blackedOut(toOneLine(text), token), { max: 200 });
}

function blackedOut(text: string, token: string): string {
  return token.length < shortest ? text : text.replace(matchForms(token), replacement);
}

let last: { readonly token: string; readonly forms: RegExp } | undefined;

/** Returns a pattern that matches the token as it is, with any of its characters escaped for JSON or a URL, or in base64. */
function matchForms(token: string): RegExp {
  if (last?.token === token) return last.forms;
  const plain = [...token].map(matchAnyForm).join("");
  const forms = new RegExp([plain, ...listBase64Forms(token)].join("|"), "g");
  last = { token, forms };
  return forms;
}

function matchAnyForm(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(2, "0");
  const hex = [...code].map((digit) => `[${digit}${digit.toUpperCase()}]`).join("");
  return `(?:\\\\?${quoted(character)}|\\\\u00${hex}|%${hex})`;
}

/** Returns the base64 forms of the token inside a longer string. The form depends on the number of bytes before the token. */
function listBase64Forms(token: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(token)]);
    const whole = Math.floor(bytes.length / 3) * 4;
    const inner = bytes.toString("base64").slice(before === 0 ? 0 : before + 1, whole);
    const signs = [...inner].map((sign) =>
      sign === "+" ? `(?:${matchAnyForm(sign)}|-)` : sign === "/" ? `(?:${matchAnyForm(sign)}|_)` : sign,
    );
    // The base64 characters at both ends encode bits of the token together with bits of the characters beside it, so they are
    // removed too. No further characters are removed: they may begin another copy of the token, which the pattern would miss.
    const [first, last] = [before === 0 ? 0 : 1, bytes.length % 3 === 0 ? 0 : (bytes.length % 3) + 1];
    return `${anySign}{0,${first}}${signs.join("")}${anySign}{0,${last}}${padding}`;
  });
}

const anySign = String.raw`(?:[\w+/-]|\\/|%2[BbFf])`;
const padding = "(?:=|%3[Dd]){0,2}";

function quoted(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&");
}
