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
