/** What has become of the mutants so far: a run that is ended early can say that much. */
export const tried = [];

/**
 * Stryker takes a reporter from each module of its option `plugins` that exports this, by the `name` that its option
 * `reporters` asks for, and calls it by the names of its events.
 */
export const strykerPlugins = [
  { kind: "Reporter", name: "tried", value: { onMutantTested: (result) => tried.push(result) } },
];
