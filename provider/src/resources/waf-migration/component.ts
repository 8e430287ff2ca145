/** Outputs of the component, each with the name of the child's output that it passes on. */
export const migrationOutputs = {
  compatible: "compatible",
  migrationState: "migrationState",
  configuration: "applied",
  status: "status",
  startedAt: "startedAt",
  finishedAt: "finishedAt",
  before: "before",
} as const;

export function explainDestroyRefusal(urn: string | undefined): string {
  return `it cannot be undone, and the zone would stay migrated while the stack says it is not. To stop managing it and leave the zone as it is: set allowForget: true, run \`pulumi up\` once, then destroy. Or drop it from the state: \`pulumi state delete --force '${urn ?? "<urn>"}'\` (\`pulumi stack --show-urns\` shows the URN). To destroy the rest of the stack: \`pulumi destroy --exclude-protected\`.`;
}

/** Name of the operation in errors of a destroy. */
export const destroying = "destroy the WAF migration";
