/**
 * The URL, or undefined for an invalid one. Never by `URL.canParse`: in Node 20 it changes its answer for hosts outside
 * ASCII after some thousand calls, once it has been optimised.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
