/** Parses JSON; returns undefined if it is invalid. Drops the parser's error, because its message quotes the JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses a URL; returns undefined if it is invalid. Does not use `URL.canParse`: in Node 20, its result for non-ASCII hosts
 * changes after a few thousand calls, once Node has optimised the function.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Whether the value of an environment variable switches something on. */
export function switchesOn(value: string | undefined): boolean {
  return !["", "0", "false", "no", "off"].includes((value ?? "").trim().toLowerCase());
}

/**
 * Says what is wrong with the name of an environment variable; undefined if it is valid. Never quotes the name, which may be a
 * token that was pasted into the wrong place.
 */
export function variableNameProblem(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return "tokenEnv is not the name of an environment variable (letters, digits and underscores)";
  }
  // Tokens of the service have at least 32 characters, with letters and digits; no variable has such a name.
  const isLikeToken = name.length >= 32 && /[a-z]/.test(name) && /[0-9]/.test(name);
  return isLikeToken
    ? "tokenEnv looks like a token, not like the name of an environment variable"
    : undefined;
}

export const nameOfVariable =
  'Write the name of the variable that holds the token: tokenEnv: "SHOP_API_TOKEN". The token itself belongs in that variable only.';
