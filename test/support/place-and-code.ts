/** Returns a message without its text: `policies.a.value [csp-adopted]`, or the code alone if it has no place. */
export function placeAndCode(message: string): string {
  const place = /^[\w.[\]-]+(?=: )/.exec(message)?.[0];
  const code = /\[[\w-]+\]$/.exec(message)?.[0];
  return [place, code].filter((part) => part !== undefined).join(" ");
}
