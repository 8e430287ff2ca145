import assert from "node:assert/strict";
import type { Ended } from "../real-engine/engine";
import type { Stack } from "../real-engine/stack";
import { type Story, zoneA } from "../real-engine/story";
import { inWordsOfTheTable, refusalTable } from "./refusal-table";

/** What must not happen to a finished migration, and how someone tries it. */
export interface Attempt<Program> {
  /** As the first column of the table in docs/waf-migration-refusals.md has it. */
  readonly action: string;
  readonly program: Program;
  readonly command: readonly string[];
  readonly prepare?: (stack: Stack) => void;
}

/** Programs with a migration and a resource that is not protected, by what was edited in them. */
export interface EditedPrograms<Program> {
  readonly deployed: Program;
  readonly removed: Program;
  readonly renamed: Program;
  readonly otherZone: Program;
  readonly earlierStage: Program;
}

interface Urns {
  readonly component: string;
  readonly step: string;
}

/** URNs of the component `waf` and of its child, whose type is `stepType`. */
export function urnsOf(stepType: string): Urns {
  const type = "urn:pulumi:dev::story::page-guard:index:WafMigration";
  return { component: `${type}::waf`, step: `${type}$${stepType}::waf-step` };
}

/** Attempts after which everything is as it was. */
export function harmlessAttempts<Program>(
  { deployed, removed, renamed, otherZone, earlierStage }: EditedPrograms<Program>,
  { component, step }: Urns,
): readonly Attempt<Program>[] {
  const attempt = (action: string, program: Program, ...command: string[]) => ({ action, program, command });
  return [
    attempt("`pulumi destroy`", deployed, "destroy", "--yes"),
    attempt("`pulumi destroy --preview-only`", deployed, "destroy", "--preview-only"),
    attempt("`pulumi destroy --run-program`", deployed, "destroy", "--yes", "--run-program"),
    attempt(
      "`pulumi destroy --target` of the component",
      deployed,
      "destroy",
      "--yes",
      "--target",
      component,
    ),
    attempt("`pulumi destroy --target` of its child", deployed, "destroy", "--yes", "--target", step),
    attempt("component removed, `pulumi preview`", removed, "preview"),
    attempt("component removed, `pulumi up`", removed, "up", "--yes"),
    attempt("renamed without an alias, `pulumi preview`", renamed, "preview"),
    attempt("`pulumi up --replace <urn>`", deployed, "up", "--yes", "--replace", step),
    attempt("`pulumi up --target-replace <urn>`", deployed, "up", "--yes", "--target-replace", step),
    attempt("`zoneId` changed", otherZone, "preview"),
    attempt("`stage` from finished to validation", earlierStage, "preview"),
  ];
}

/** Attempts before which the engine deletes what is not protected: for a stack that has only the migration. */
export function lateAttempts<Program>(deployed: Program): readonly Attempt<Program>[] {
  const attempt = (action: string, ...command: string[]) => ({ action, program: deployed, command });
  return [
    attempt("`pulumi destroy --yes --skip-preview`", "destroy", "--yes", "--skip-preview"),
    attempt("`pulumi destroy --ignore-protect`", "destroy", "--yes", "--ignore-protect"),
    { ...attempt("`pulumi state unprotect`, then `pulumi destroy`", "destroy", "--yes"), prepare: unprotect },
  ];
}

/** What `pulumi state unprotect --all` leaves in a state in files. */
function unprotect(stack: Stack): void {
  assert.equal(stack.state()["waf-step"]?.protect, true);
  stack.editState((recorded) => recorded.replace('"protect":true', '"protect":false'));
}

/** It is refused in the words of the table, and neither the zones nor the state change. */
export async function expectRefused<Program>(
  { sim, stack }: Story,
  declare: (program: Program) => void,
  { action, program, command, prepare }: Attempt<Program>,
  urns: Urns,
): Promise<void> {
  prepare?.(stack);
  declare(program);
  const sent = sim.changing().length;
  const names = Object.keys(stack.state());
  assert.ok(names.includes("waf-step"), action);
  const ended = await stack.run(...command);
  assert.notEqual(ended.code, 0, `${action} was to be refused`);
  expectWords(action, ended, urns);
  assert.equal(sim.changing().length, sent, `${action}: nothing was changed`);
  assert.deepEqual(Object.keys(stack.state()), names, `${action}: the state has the same resources`);
}

/** The CLI has said what the table says of this action. */
export function expectWords(action: string, { output }: Ended, { step }: Urns): void {
  const said = inWordsOfTheTable(output, { urn: step, zoneId: zoneA });
  const row = refusalTable().find((refusal) => refusal.action === action);
  assert.ok(row, `the table has no row for ${action}`);
  for (const message of row.messages)
    assert.ok(said.includes(message), `${action} was to say\n${message}\nbut it said\n${output}`);
}
