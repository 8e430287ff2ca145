import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

/** What has become of the mutants so far: a run that is ended early can say that much. */
export const tried = [];

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Reporter, "tried", { onMutantTested: (result) => tried.push(result) }),
];
