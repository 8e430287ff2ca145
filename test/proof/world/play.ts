import assert from "node:assert/strict";
import { type Declaration, ourZones, zones } from "./declarations";
import type { Machine } from "./machine";
import { isOver, looksOver } from "./migration-book";
import { pictureOf } from "./picture";
import { programOf } from "./program";
import { SmallMachine } from "./small-machine";
import { calm, type Scenario } from "./story";
import { World } from "./world";

export interface Outcome {
  readonly requests: number;
  readonly operations: number;
}

/** Plays a scenario to its end, and checks the simulator's own state. Throws an error with the fault and the trace. */
export async function play(story: Scenario, machine: Machine = new SmallMachine(story)): Promise<Outcome> {
  const world = new World(story, machine);
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): void => void rejections.push(reason);
  process.on("unhandledRejection", onRejection);
  try {
    for (const step of story.steps) await world.take(step);
    await end(world);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(rejections, [], "a rejection that nobody handles");
    return { requests: world.sim.journal.length, operations: world.operations };
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Error(`${reason}\n\nThe trace:\n${world.trace.lines.join("\n")}\n`);
  } finally {
    process.off("unhandledRejection", onRejection);
  }
}

/** Refusals that are right after changes by others. */
const namesake = /is the ref of an unmanaged rule/;
const unclearMigration =
  /migration is ambiguous|says that the zone is not eligible|already sent|unclear|would undo edits to the rules/i;

/** Checks, without faults, that updates reach the program, that another update does nothing, and that a destroy restores. */
async function end(world: World): Promise<void> {
  await world.orphansEnded();
  world.trace.end();
  world.program = new Map([...world.program].map(([name, one]) => [name, withoutRefusals(one)]));
  await reachProgram(world);
  world.expectDeclared();
  await expectQuiet(world);
  await release(world);
  const untouched = JSON.stringify(world.sim.zone(zones.q));
  assert.equal(untouched, world.quiet, "a zone that nobody declares was touched");
}

async function reachProgram(world: World): Promise<void> {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const isLate = attempt > 0 || isFinishedByPeople(world);
    if (isLate || world.isPatient) world.pass(3_600_000);
    // Refresh only if the state alone is not enough.
    const failure = await world.up([], calm, { refresh: world.isStale || isLate });
    if (failure === "") return;
    adapt(world, failure);
  }
  assert.fail("four undisturbed updates have not reached the program");
}

/** Whether people have finished a migration that the program has in validation. The service may show this late. */
function isFinishedByPeople({ program, sim }: World): boolean {
  const migration = program.get("m1");
  return migration?.kind === "migration" && migration.stage === "validation" && isOver(sim.zone(zones.m).waf);
}

/** Changes the program or the zone as a person would after reading the refusal. */
function adapt(world: World, failure: string): void {
  const program = new Map(world.program);
  const { waf } = world.sim.zone(zones.m);
  const migration = program.get("m1");
  const startedAt = /unclearAttempt: \{ startedAt: "([^"]+)"/.exec(failure)?.[1];
  // A migration in progress, or one that people have just finished, shows later.
  if (startedAt === undefined && /but after \d+ min|no (?:previous )?configuration to migrate/.test(failure))
    return;
  if (migration?.kind === "migration" && migration.stage === "validation" && isOver(waf)) {
    program.set("m1", { ...migration, stage: "finished" });
  } else if (migration && !waf.eligible && /not eligible/.test(failure)) {
    world.sim.dashboard.setWaf(zones.m, { eligible: true });
  } else if (migration?.kind === "migration" && startedAt !== undefined && !migration.unclearAttempt) {
    const outcome = isOver(waf) ? "accepted" : "notAccepted";
    program.set("m1", { ...migration, unclearAttempt: { startedAt, outcome } });
  } else if (migration && (unclearMigration.test(failure) || looksOver(waf))) {
    // The person checks the dashboard, and stops managing the migration.
    program.delete("m1");
    world.stack.forget("m1");
  } else if (namesake.test(failure)) {
    for (const [name, one] of program)
      if (one.kind === "entry") program.set(name, { ...one, foreignRules: "overwrite" });
  } else assert.fail(`an update that nothing disturbs failed: ${failure}`);
  world.program = program;
}

/** Checks that previews and updates send no change, and no request at all unless a set checks the other policies. */
async function expectQuiet({ sim, stack, program, up }: World): Promise<void> {
  const changes = sim.changing().length;
  const requests = sim.journal.length;
  assert.deepEqual(await stack.preview(programOf(program)), []);
  const looks = [...program.values()].some((one) => one.kind === "set" && one.others !== "keep");
  if (!looks) assert.equal(sim.journal.length, requests, "a preview without a change sends no request");
  // Unmanaged rules that were added since the last update or refresh are reported once.
  await stack.refresh();
  assert.deepEqual(await stack.drift(), []);
  assert.equal(await up([], calm), "");
  assert.equal(sim.changing().length, changes, "a second up sends nothing");
}

/** Checks that a destroy leaves only what the stack found first. */
async function release(world: World): Promise<void> {
  if (world.program.has("m1")) await releaseMigration(world);
  assert.equal(await world.destroy(calm), "");
  const { state, pending } = world.stack.backup();
  assert.deepEqual([...state, ...pending], []);
  const live = pictureOf(world.sim);
  for (const zone of ourZones)
    world.books.of[zone].policies.expectDeclared(live.policies[zone], new Map(), new Map());
}

async function releaseMigration({ program, stack, up }: World): Promise<void> {
  const migration = program.get("m1");
  assert.ok(migration?.kind === "migration");
  const { m1: _left, ...others } = programOf(program);
  assert.notEqual(await stack.tryUp(others), "", "a destroy of a migration is refused");
  assert.ok(stack.state.has("m1"), "a refused destroy keeps the migration in the state");
  assert.equal(await up([{ ...migration, allowForget: true }], calm), "");
}

/** Returns a declaration without the settings that would make an update refuse, for the end of a story. */
function withoutRefusals(one: Declaration): Declaration {
  if (one.kind === "entry" && one.foreignRules === "refuse") return { ...one, foreignRules: "keep" };
  if (one.kind === "set" && one.others === "refuse") return { ...one, others: "keep" };
  return one;
}
