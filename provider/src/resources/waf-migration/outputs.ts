/** Outputs of the component, and which output of its child each of them is. */
export const migrationOutputs = {
  compatible: "compatible",
  migrationState: "migrationState",
  configuration: "applied",
  status: "status",
  startedAt: "startedAt",
  finishedAt: "finishedAt",
  before: "before",
} as const;
