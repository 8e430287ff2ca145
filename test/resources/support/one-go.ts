import type { Program } from "../../small-engine/operation";

/** As the class tells each set what is declared in the same go. Names of sets begin with `set`. */
export function inOneGo(program: Program): Program {
  const all = Object.entries(program).map(([name, args]) => ({
    kind: name.startsWith("set") ? "CspPolicySet" : "CspPolicy",
    name,
    args,
  }));
  return Object.fromEntries(
    Object.entries(program).map(([name, args]) => [
      name,
      name.startsWith("set") ? { ...args, __beside: all.filter((one) => one.name !== name) } : args,
    ]),
  );
}
