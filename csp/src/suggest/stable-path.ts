import { decodePath } from "../syntax/request-url";

const separators = /[-_.~@+:,;=!()[\]{}$]+/;

const numberPattern = /^\d+$/;
const versionPattern = /\d+\.\d+/;
const datePattern = /(?:19|20)\d\d[-_.]?(?:0\d|1[0-2])(?:[-_.]?[0-3]\d)?/;
const versionsPattern = /\d+(?:\.\d+)+/g;
const datesPattern = new RegExp(datePattern, "g");
/** Splits a name into words and the separators between them. */
const partsPattern = new RegExp(`(${separators.source})`);
const hexadecimal = /^(?:(?=.*\d)(?=.*[a-f])[0-9a-f]{6,}|[0-9a-f]{16,})$/i;
/** Words with a number that changes with each release: `55`, `m202401090101`, `rel1234`, `2024`. */
const numbered = /^(?:\d{2,}|[a-z]+\d{3,})$/i;

/**
 * Whether the name of a folder or file looks like a version, a build, a date or an id, which the next release replaces. `v3`
 * and `vue@3` do not: an interface keeps its version.
 */
export function isOfOneRelease(name: string): boolean {
  const text = decodePath(name);
  if (numberPattern.test(text) || isOfVersion(text)) return true;
  return text.split(separators).some(isGenerated);
}

/** Whether a name contains a version or a date. Such a name is not the id of a customer. */
export function isOfVersion(name: string): boolean {
  return versionPattern.test(name) || datePattern.test(name);
}

/** Whether a word looks like one that a machine generated. */
export function isGenerated(word: string): boolean {
  if (numbered.test(word) || hexadecimal.test(word)) return true;
  if (word.length < 8) return false;
  if (changes(word, /\d/) >= 3 || /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])/.test(word)) return true;
  // The other words are mostly letters. Camel case changes case less often, and rarely has two capitals in a row.
  return word.length >= 12 && /[A-Z]{2}/.test(word) && changes(word, /[A-Z]/) >= word.length * 0.25;
}

/** Returns the name with `*` for each part that the next release changes: `app.*.js` for `app.3f2a91bc.js`. */
export function lastingName(name: string): string {
  if (!isOfOneRelease(name)) return name;
  // A name with escapes has to be decoded to find its words, so replace the whole name.
  if (numberPattern.test(name) || decodePath(name) !== name) return "*";
  return name
    .replace(versionsPattern, "*")
    .replace(datesPattern, "*")
    .split(partsPattern)
    .map((part) => (isGenerated(part) ? "*" : part))
    .join("")
    .replace(/\*+/g, "*");
}

/** Counts the places in a word where a character that matches `kind` is next to one that does not. */
function changes(word: string, kind: RegExp): number {
  let count = 0;
  for (let at = 1; at < word.length; at += 1)
    if (kind.test(word.charAt(at)) !== kind.test(word.charAt(at - 1))) count += 1;
  return count;
}

/** Returns the folders of a path, the widest first, each with a slash at its end. */
export function splitFolders(pathname: string): readonly string[] {
  const names = pathname.split("/").slice(1, -1).slice(0, maxFolders);
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}/`);
}

/** Maximum number of folders. No site has more, and a URL that is all slashes would take quadratic time. */
const maxFolders = 12;
