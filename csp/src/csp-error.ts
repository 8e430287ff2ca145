/** Directives that no policy text can express. `facts.property` names the directive: `directives.script-src[2]`. */
export class CspError extends Error {
  readonly code = "PG_CSP";
  declare readonly facts: { readonly property: string };
  declare readonly explanation: { readonly what: string; readonly fix: string };

  constructor(property: string, what: string, fix: string) {
    super(`${property}: ${what} ${fix}`);
    this.name = "CspError";
    // Node prints an uncaught error with its properties: the message has all of these.
    for (const [name, value] of Object.entries({ facts: { property }, explanation: { what, fix } }))
      Object.defineProperty(this, name, { value, enumerable: false });
  }
}
