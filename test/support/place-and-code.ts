/** A finding or a refusal without its words: `policies.a.value [csp-adopted]`, or the code alone where it has no place. */
export function placeAndCode(message: string): string {
  const place = /^[\w.[\]-]+(?=: )/.exec(message)?.[0];
  const code = /\[[\w-]+\]$/.exec(message)?.[0];
  return [place, code].filter((part) => part !== undefined).join(" ");
}
