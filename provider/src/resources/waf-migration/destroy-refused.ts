const refusal =
  "A WAF migration cannot be undone, so destroying it is refused: the zone would stay migrated while the stack says it is not.";

/** How to stop managing it; part of each refusal of a destroy. */
export function howToForget(urn: string | undefined): string {
  return `To stop managing it and leave the zone as it is: set allowForget: true, run \`pulumi up\` once, then destroy. Or drop it from the state: \`pulumi state delete --force '${urn ?? "<urn>"}'\` (\`pulumi stack --show-urns\` shows the URN). To destroy the rest of the stack: \`pulumi destroy --exclude-protected\`.`;
}

export function destroyRefused(urn: string | undefined): string {
  return `${refusal} ${howToForget(urn)}`;
}
