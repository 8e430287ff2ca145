import assert from "node:assert/strict";

import { isDeepStrictEqual } from "node:util";

import {
  type FaultSpec,
  type Zone as LivingZone,
  Simulator,
  type ZoneRule,
} from "../../../provider/src/simulator";

import { directWire, nowhere } from "../../small-engine/direct-wire";
import { type Backup, type Properties, SmallEngine } from "../../small-engine/small-engine";
import { VirtualTime } from "../../virtual-time/virtual-time";
import { judgeConduct } from "./conduct";
import type { Operation, Picture } from "./operation";
import { actOf, type People } from "./people";
import { PolicyBook } from "./policy-book";
import {
  type Declarations,
  type Edit,
  edited,
  kindOf,
  ourZones,
  policyFields,
  programOf,
  ruleFields,
  type Zone,
  zones,
} from "./program";
import { RuleBook } from "./rule-book";
import { type Act, type Attack, type Scenario, type Step, tokenMark } from "./scenario";
import { SettingsBook, type Switches, switchesOf } from "./settings-book";

/** Nobody has it but this world. */
const token = "k7Qm2Zt9Xw4Rb6Ls1Vd8Hf3Np5Jc0Gy";

/** Refusals that are right when others have put something in the way. */
const namesake = /is the ref of a rule that this stack did not make/;
const unclearMigration = /cannot be told for sure|says that the zone is not eligible|already sent|unclear/i;

interface SavedState {
  readonly backup: Backup;
  readonly initial: ReadonlyMap<Zone, Partial<Switches>>;
}

export interface Outcome {
  readonly requests: number;
  readonly operations: number;
}

/** Plays a scenario to its end. The judge is the simulator's own state. Throws what is wrong, with the trace. */
export async function play(story: Scenario): Promise<Outcome> {
  const world = new World(story);
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): void => void rejections.push(reason);
  process.on("unhandledRejection", onRejection);
  try {
    for (const step of story.steps) await world.take(step);
    const outcome = await world.end();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(rejections, [], "a rejection that nobody handles");
    return outcome;
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Error(`${reason}\n\nThe trace:\n${world.trace.join("\n")}\n`);
  } finally {
    process.off("unhandledRejection", onRejection);
  }
}

class World {
  readonly trace: string[] = [];
  private readonly time = new VirtualTime();
  private readonly sim: Simulator;
  private readonly engine: SmallEngine<unknown, object>;
  private program: Declarations = new Map();
  private programBefore: Declarations = new Map();
  /** What is on record may not be so any more, in a way that only a refresh can see. */
  private isStale = false;
  private readonly books: Readonly<
    Record<Zone, { policies: PolicyBook; rules: RuleBook; settings: SettingsBook }>
  >;
  /** What the settings of a zone were when the resource that the checkpoint holds first looked. */
  private initial = new Map<Zone, Partial<Switches>>();
  private readonly saved: SavedState[] = [];
  private paces: (readonly number[])[] = [];
  private processes = 0;
  private operations = 0;
  private isOrphaned = false;
  private meanwhile: Act | undefined;
  private readonly people: People;
  private told = 0;
  private readonly quiet: string;

  constructor(story: Scenario) {
    this.sim = new Simulator({ now: this.time.now, token, seed: 7 });
    story.found.forEach(({ policies, rules, switches: [enabled, vendor, path] }, index) => {
      const zone = ourZones[index] ?? "a";
      this.sim.zones.seed(zones[zone], {
        scripts: 0,
        connections: 0,
        cookies: 0,
        settings: { enabled, use_vendor_reporting_endpoint: vendor, use_connection_url_path: path },
        policies: [
          { description: "somebody's", expression: 'http.host eq "blog.example.com"' },
          ...policies.map(policyFields),
        ],
        ...(zone === "m"
          ? { waf: { ...story.waf, firewallRules: 2 } }
          : { entrypoint: rules ? { name: "found", rules: rules.map(ruleFields) } : null }),
      });
    });
    this.sim.zones.seed(zones.q, {
      scripts: 1,
      connections: 0,
      cookies: 0,
      policies: [policyFields({ description: "one", text: 0, action: "log", enabled: true })],
    });
    this.quiet = JSON.stringify(this.sim.zone(zones.q));
    const wire = directWire(this.sim, { processed: ({ method }) => method !== "GET" && this.interrupt() });
    this.engine = new SmallEngine(this.sim, kindOf, {
      env: { PAGE_GUARD_BASE_URL: nowhere },
      time: this.time,
      wire: () => {
        this.processes += 1;
        const name = `process ${this.processes}`;
        const pace = this.paces.shift() ?? [0];
        let sent = 0;
        return async (request, signal) => {
          const turns = pace[sent % pace.length] ?? 0;
          sent += 1;
          for (let turn = 0; turn < turns; turn += 1) await new Promise((go) => setImmediate(go));
          return wire({ ...request, headers: { ...request.headers, "user-agent": name } }, signal);
        };
      },
    });
    const picture = this.picture();
    const bookOf = (zone: Zone) => ({
      policies: new PolicyBook(zone, picture.policies[zone]),
      rules: new RuleBook(zone, picture.rules[zone]),
      settings: new SettingsBook(zone, picture.settings[zone]),
    });
    this.books = { a: bookOf("a"), b: bookOf("b"), m: bookOf("m") };
    this.people = { sim: this.sim, books: this.books, count: 0 };
  }

  async take(step: Step): Promise<void> {
    this.trace.push(`- ${JSON.stringify(step)}`);
    switch (step.act) {
      case "up":
        await this.up(step.edits, step.attack, step);
        break;
      case "two ups":
        await this.twoUps(step);
        break;
      case "refresh":
        await this.operate(step.attack, { program: this.program }, async (death) => {
          await this.engine.refresh({ death }).catch(() => undefined);
          return "";
        });
        break;
      case "destroy":
        await this.destroy(step.attack);
        break;
      case "preview":
        await this.preview(edited(this.program, step.edits));
        break;
      case "lose state":
        await this.replaceState({ backup: { state: [], pending: [] }, initial: new Map() });
        break;
      case "restore backup": {
        const old = this.saved.at(-1 - step.age);
        if (old) await this.replaceState(old);
        break;
      }
      case "wait":
        await this.engine.orphansEnded();
        this.time.pass(step.ms);
        break;
      default:
        await this.engine.orphansEnded();
        this.isOrphaned = false;
        this.isStale = true;
        actOf(this.people, step);
    }
  }

  /** Nothing goes wrong any more: the program is reached, then there is nothing to do, and a destroy restores. */
  async end(): Promise<Outcome> {
    await this.engine.orphansEnded();
    this.isOrphaned = false;
    this.trace.push("- the end: nothing goes wrong any more");
    this.program = new Map([...this.program].map(([name, one]) => [name, withoutRefusals(one)]));
    await this.reachProgram();
    const picture = this.picture();
    for (const zone of ourZones) this.expectDeclared(zone, picture);
    await this.expectQuiet();
    await this.release();
    assert.equal(
      JSON.stringify(this.sim.zone(zones.q)),
      this.quiet,
      "a zone that nobody declares was touched",
    );
    return { requests: this.sim.journal.length, operations: this.operations };
  }

  private async reachProgram(): Promise<void> {
    for (let attempt = 0; attempt < 4; attempt += 1) {
      this.time.pass(3_600_000);
      // Without a refresh where the record is all that is needed.
      const failure = await this.up([], calm, { refresh: this.isStale || attempt > 0 });
      if (failure === "") return;
      this.adapt(failure);
    }
    assert.fail("four undisturbed updates have not reached the program");
  }

  /** As somebody does who reads why it was refused. */
  private adapt(failure: string): void {
    const program = new Map(this.program);
    const { waf } = this.sim.zone(zones.m);
    const migration = program.get("m1");
    const isOver = waf.stage === "new" || waf.stage === "finishing";
    if (migration?.kind === "migration" && migration.stage === "validation" && isOver) {
      program.set("m1", { ...migration, stage: "finished" });
    } else if (migration && unclearMigration.test(failure)) {
      // Told to look for himself, and lets go of it.
      program.delete("m1");
      this.engine.state.delete("m1");
    } else if (namesake.test(failure)) {
      for (const [name, one] of program)
        if (one.kind === "entry") program.set(name, { ...one, foreignRules: "overwrite" });
    } else assert.fail(`an update that nothing disturbs failed: ${failure}`);
    this.program = program;
  }

  private expectDeclared(zone: Zone, { policies, rules, settings }: Picture): void {
    const { program } = this;
    const book = this.books[zone];
    book.policies.expectDeclared(policies[zone], program, this.policyIds(zone));
    if (zone !== "m") book.rules.expectDeclared(rules[zone], program, this.ruleIds(zone));
    book.settings.expectDeclared(settings[zone], program);
    for (const one of program.values()) {
      if (one.kind !== "migration") continue;
      const { stage } = this.sim.zone(zones.m).waf;
      assert.ok(
        one.stage === "finished" ? stage === "new" : stage === "validation",
        `the migration is at ${stage}`,
      );
    }
  }

  /** What is reached stays: previews and updates send no change, and without a set that looks no request at all. */
  private async expectQuiet(): Promise<void> {
    const changes = this.sim.changing().length;
    const requests = this.sim.journal.length;
    assert.deepEqual(await this.engine.preview(programOf(this.program)), []);
    const looks = [...this.program.values()].some((one) => one.kind === "set" && one.others !== "keep");
    if (!looks) assert.equal(this.sim.journal.length, requests, "a preview without a change asks nothing");
    // Rules of others that came since the last look are told once.
    await this.engine.refresh();
    assert.deepEqual(await this.engine.drift(), []);
    assert.equal(await this.up([], calm, {}), "");
    assert.equal(this.sim.changing().length, changes, "a second up sends nothing");
  }

  /** A destroy leaves what was found first, and nothing of the stack. */
  private async release(): Promise<void> {
    if (this.program.has("m1")) await this.letGoOfMigration();
    assert.equal(await this.destroy(calm), "");
    assert.deepEqual([this.engine.state.size, this.engine.pending.length], [0, 0]);
    const live = this.picture();
    for (const zone of ourZones)
      this.books[zone].policies.expectDeclared(live.policies[zone], new Map(), new Map());
  }

  private async letGoOfMigration(): Promise<void> {
    const migration = this.program.get("m1");
    assert.ok(migration?.kind === "migration");
    const { m1: _left, ...others } = programOf(this.program);
    const refusal = await this.engine.tryUp(others);
    assert.notEqual(refusal, "", "a destroy of a migration is refused");
    assert.ok(this.engine.state.has("m1"), "a refused destroy keeps the migration on record");
    assert.equal(await this.up([{ ...migration, allowForget: true }], calm, {}), "");
  }

  private async up(
    edits: readonly Edit[],
    attack: Attack,
    { refresh = false, parallel = false, isTakenBack = false, replace = [] as readonly string[] },
  ): Promise<string> {
    // A migration is never taken back.
    const migrations = [...this.program.values()].filter(({ kind }) => kind === "migration");
    const program = edited(isTakenBack ? edited(this.programBefore, migrations) : this.program, edits);
    this.programBefore = this.program;
    this.program = program;
    const forced = replace.filter((name) => this.engine.state.has(name) && this.program.has(name));
    return this.operate(attack, { program: this.program, refresh }, (death) =>
      this.engine.tryUp(programOf(this.program), { refresh, parallel, replace: forced, death }),
    );
  }

  private async twoUps(step: Extract<Step, { act: "two ups" }>): Promise<void> {
    this.program = edited(this.program, step.edits);
    const program = programOf(this.program);
    const other = this.engine.fork();
    this.paces = [...step.paces];
    const { faults, death } = step.first;
    await this.operate(
      { faults: [...faults, ...step.second.faults], death },
      { program: this.program, pipelines: 2 },
      async () => {
        await Promise.all([
          this.engine.tryUp(program, { parallel: true, death }),
          other.tryUp(program, { parallel: true, death: step.second.death }),
        ]);
        await other.orphansEnded();
        if (step.keeps === "second") this.engine.restore(other.backup());
        return "";
      },
    );
    this.paces = [];
  }

  private async destroy(attack: Attack): Promise<string> {
    // What protects a migration makes its people leave it out.
    this.program = new Map(
      [...this.program].filter(([, one]) => one.kind === "migration" && !one.allowForget),
    );
    return this.operate(attack, { program: this.program }, (death) =>
      this.engine.tryUp(programOf(this.program), { death }),
    );
  }

  private async preview(program: Declarations): Promise<void> {
    const changes = this.sim.changing().length;
    const state = JSON.stringify(this.engine.backup());
    await this.engine.preview(programOf(program)).catch(() => undefined);
    assert.equal(this.sim.changing().length, changes, "a preview has changed something");
    assert.equal(JSON.stringify(this.engine.backup()), state, "a preview has recorded something");
    this.expectSecrecy("");
  }

  private async operate(
    { faults, death, meanwhile }: Attack,
    {
      program,
      pipelines = 1,
      refresh = false,
    }: { program: Declarations; pipelines?: number; refresh?: boolean },
    work: (death: Attack["death"]) => Promise<string>,
  ): Promise<string> {
    this.operations += 1;
    const processes = pipelines + (this.isOrphaned ? 1 : 0);
    const mayHaveLost = death !== undefined || processes > 1;
    const before = this.picture();
    const state = this.engine.backup();
    const initial = this.initial;
    const toldBefore = this.sim.journal.at(-1)?.seq ?? 0;
    for (const zone of ourZones) this.bookDeclares(zone, program);
    for (const fault of faults) this.sim.faults.add(withToken(fault));
    this.meanwhile = processes === 1 ? meanwhile : undefined;
    const failure = await work(death);
    this.meanwhile = undefined;
    if (this.isOrphaned) await this.engine.orphansEnded();
    this.isOrphaned = death !== undefined && "request" in death && death.side === "cli";
    this.sim.faults.clear();
    this.trace.push(...this.requestLines(), ...(failure ? [`    failed: ${failure.split("\n")[0]}`] : []));
    const isRemoving = state.pending.length > 0 || state.state.some(([name]) => !program.has(name));
    if (refresh && failure === "" && !mayHaveLost && !meanwhile) this.isStale = false;
    else if (mayHaveLost || meanwhile || (failure !== "" && isRemoving)) this.isStale = true;
    const operation: Operation = {
      program,
      before,
      recorded: this.recordedIds(),
      kept: keptIds(state),
      processes,
      mayHaveLost: mayHaveLost || this.isOrphaned,
      failure,
      unclearCreates: this.sim
        .changing({ method: "POST" })
        .filter(({ changed, fault, seq }) => changed && fault !== undefined && seq > toldBefore).length,
    };
    const live = this.picture();
    if (!mayHaveLost && !meanwhile) this.expectRecorded(before, live, state);
    for (const zone of ourZones) {
      this.noteBeginning(zone, state, before, initial, { refresh, mayHaveLost, meanwhile });
      this.books[zone].policies.judge(live.policies[zone], operation);
      if (zone !== "m") this.books[zone].rules.judge(live.rules[zone], operation);
      this.books[zone].settings.judge(live.settings[zone]);
    }
    const isCalm = failure === "" && !operation.mayHaveLost && !meanwhile;
    this.noteRelease(state, before, live, isCalm ? initial : undefined);
    this.judgeMigration();
    judgeConduct(this.sim.journal);
    this.expectSecrecy(failure);
    this.saved.push({ backup: this.engine.backup(), initial: this.initial });
    return failure;
  }

  private bookDeclares(zone: Zone, program: Declarations): void {
    this.books[zone].policies.declares(program);
    this.books[zone].rules.watch(program);
    this.books[zone].settings.declares(program);
  }

  /** What a resource that is new in the checkpoint has found is what a destroy brings back. */
  private noteBeginning(
    zone: Zone,
    state: Backup,
    before: Picture,
    old: ReadonlyMap<Zone, Partial<Switches>>,
    {
      refresh,
      mayHaveLost,
      meanwhile,
    }: { refresh: boolean; mayHaveLost: boolean; meanwhile: Act | undefined },
  ): void {
    const was = (letter: string) => namesIn(state.state, zone, letter);
    const is = (letter: string) => namesIn([...this.engine.state], zone, letter);
    const isNew = (letter: string): boolean => {
      return is(letter).some((name) => !was(letter).includes(name));
    };
    const next = new Map(this.initial);
    if (recordedIn(this.engine.backup(), zone, "s").length === 0) next.delete(zone);
    else if (isNew("s")) {
      const [predecessor] = was("s");
      const isAmbiguous = mayHaveLost || meanwhile?.act === "switch";
      const fresh = is("s").find((name) => !was("s").includes(name));
      const recorded = this.engine.state.get(fresh ?? "")?.outputs["initial"];
      const found = isAmbiguous ? (Object(recorded) as Partial<Switches>) : switchesOf(before.settings[zone]);
      next.set(zone, refresh && predecessor !== undefined ? (old.get(zone) ?? found) : found);
    }
    // Two for one zone, of which one is left: what that one has found.
    const [last] = recordedIn(this.engine.backup(), zone, "s");
    if (recordedIn(state, zone, "s").length > 1 && last)
      next.set(zone, Object(last["initial"]) as Partial<Switches>);
    this.initial = next;
    if (isNew("e")) {
      const [predecessor] = was("e");
      const book = this.books[zone].rules;
      // What others did in the middle came before its look, or after it.
      if (predecessor === undefined) book.begin(mayHaveLost || meanwhile ? undefined : before.rules[zone]);
      if (predecessor !== undefined && !refresh) {
        // Under another name, unread: what the old one has made is taken over, or is somebody else's from now on.
        book.forgotten(before.rules[zone]);
      }
    }
  }

  /** What is not on record any more was let go of as it was to be, where nothing came between (`initial` is given). */
  private noteRelease(
    state: Backup,
    before: Picture,
    live: Picture,
    initial: ReadonlyMap<Zone, Partial<Switches>> | undefined,
  ): void {
    const now = this.engine.backup();
    for (const zone of ourZones) {
      const { rules, settings } = this.books[zone];
      const entries = recordedIn(state, zone, "e");
      const [entry] = entries;
      // What a resource under another name has not read stays as somebody else's.
      const left = recordedIn(now, zone, "e");
      if (left.length > 0) rules.loosen(idsOfGone(state, now, zone));
      // A change of name that was cut off and taken back: two for one zone, each of which leaves it to the other.
      if (entries.length > 1 || recordedIn(state, zone, "s").length > 1) this.isStale = true;
      if (entries.length > 1) rules.loosen(live.rules[zone].map(({ id }) => id));
      if (entry && left.length === 0) {
        if (initial)
          rules.expectReleased(live.rules[zone], entry["onDestroy"], before.rules[zone], idsOfRules(entry));
        if (this.isOrphaned) rules.forgotten(live.rules[zone]);
        else rules.released(live.rules[zone]);
      }
      const [switched] = recordedIn(state, zone, "s");
      if (initial && switched && recordedIn(now, zone, "s").length === 0) {
        const was = switchesOf(before.settings[zone]);
        settings.expectReleased(live.settings[zone], switched, was, initial.get(zone) ?? {});
      }
    }
  }

  /** Who has changed something has it on record, whatever went wrong then. */
  private expectRecorded(before: Picture, live: Picture, state: Backup): void {
    const now = this.engine.backup();
    const isKnown = (zone: Zone, letter: string) =>
      recordedIn(state, zone, letter).length + recordedIn(now, zone, letter).length > 0;
    for (const zone of ourZones) {
      const wasSwitched = !isDeepStrictEqual(
        switchesOf(before.settings[zone]),
        switchesOf(live.settings[zone]),
      );
      assert.ok(!wasSwitched || isKnown(zone, "s"), "settings were changed without a record");
      const wasWritten = zone !== "m" && !isDeepStrictEqual(before.rules[zone], live.rules[zone]);
      assert.ok(!wasWritten || isKnown(zone, "e"), "a list was changed without a record");
    }
  }

  private async replaceState({ backup, initial }: SavedState): Promise<void> {
    await this.engine.orphansEnded();
    this.isOrphaned = false;
    this.isStale = true;
    const live = this.picture();
    for (const zone of ourZones) {
      const { policies, rules } = this.books[zone];
      policies.forgotten(live.policies[zone].map(({ id }) => id).filter((id) => this.recordedIds().has(id)));
      rules.forgotten(live.rules[zone]);
    }
    this.engine.restore(backup);
    for (const id of this.recordedIds())
      for (const zone of ourZones) {
        this.books[zone].policies.claimed(id);
        this.books[zone].rules.claimed(id);
      }
    this.initial = new Map(initial);
    this.saved.push({ backup, initial });
  }

  private interrupt(): void {
    const act = this.meanwhile;
    this.meanwhile = undefined;
    if (act) actOf(this.people, act);
  }

  private judgeMigration(): void {
    const { waf } = this.sim.zones.get(zones.m);
    assert.ok(waf.acceptedPending <= 1, `${waf.acceptedPending} finishes were accepted`);
    const wasDeclared = this.trace.some((line) => line.includes('"stage":"finished"'));
    assert.ok(wasDeclared || waf.acceptedPending === 0, "a finish by accident");
  }

  private expectSecrecy(failure: string): void {
    const { warnings, progress } = this.engine;
    const said = JSON.stringify([this.engine.backup(), warnings, progress, failure]);
    assert.ok(!said.includes(token), "the token was told");
    assert.ok(!this.sim.journal.some(({ path }) => path.includes(token)), "the token is in a URL");
  }

  private picture(): Picture {
    // Not as snapshots of whole zones: to copy those would be half of what a story costs.
    const of = <T>(pick: (zone: LivingZone) => T) => {
      const [a, b, m] = ourZones.map((zone) => pick(this.sim.zones.get(zones[zone])));
      assert.ok(a !== undefined && b !== undefined && m !== undefined);
      return { a, b, m };
    };
    return {
      policies: of(({ policies }) => policies.map((policy) => ({ ...policy }))),
      rules: of(({ entrypoint }): readonly ZoneRule[] => entrypoint?.rules ?? []),
      settings: of(({ settings }) => ({ ...settings })),
    };
  }

  /** Name, or name and key, to the id on record, for a zone's policies. */
  private policyIds(zone: Zone): Map<string, string> {
    const ids = new Map<string, string>();
    for (const [name, { outputs }] of this.engine.state) {
      if (outputs["zoneId"] !== zones[zone]) continue;
      if (typeof outputs["policyId"] === "string") ids.set(name, outputs["policyId"]);
      for (const [key, id] of Object.entries(Object(outputs["policyIds"] ?? {})))
        ids.set(`${name}.${key}`, String(id));
    }
    return ids;
  }

  private ruleIds(zone: Zone): string[] {
    const found: string[] = [];
    for (const { outputs } of this.engine.state.values())
      if (outputs["zoneId"] === zones[zone]) found.push(...idsOfRules(outputs, true));
    return found;
  }

  private recordedIds(): Set<string> {
    const ids = new Set<string>();
    for (const { outputs } of [...this.engine.state.values(), ...this.engine.pending]) {
      if (typeof outputs["policyId"] === "string") ids.add(outputs["policyId"]);
      for (const id of Object.values(Object(outputs["policyIds"] ?? {}))) ids.add(String(id));
      for (const id of idsOfRules(outputs)) ids.add(id);
    }
    return ids;
  }

  private requestLines(): string[] {
    const fresh = this.sim.journal.slice(this.told);
    this.told = this.sim.journal.length;
    return fresh.map(
      ({ userAgent, method, path, status, fault, changed }) =>
        `    ${userAgent}: ${method} ${shortPath(path)} ${status ?? "no answer"}${fault ? ` (${fault})` : ""}${changed ? " changed" : ""}`,
    );
  }
}

const calm: Attack = { faults: [] };

function withToken(fault: FaultSpec): FaultSpec {
  return "message" in fault && fault.message !== undefined
    ? { ...fault, message: fault.message.replace(tokenMark, token) }
    : fault;
}

/** Refusals that the last program asks for are not for the end. */
function withoutRefusals(one: Declarations extends ReadonlyMap<string, infer D> ? D : never) {
  if (one.kind === "entry" && one.foreignRules === "refuse") return { ...one, foreignRules: "keep" as const };
  if (one.kind === "set" && one.others === "refuse") return { ...one, others: "keep" as const };
  return one;
}

function namesIn(state: Backup["state"], zone: Zone, letter: string): string[] {
  return state
    .filter(([name, { outputs }]) => name.startsWith(letter) && outputs["zoneId"] === zones[zone])
    .map(([name]) => name);
}

/** What the checkpoint holds of a zone, also what is to be deleted yet. */
function recordedIn({ state, pending }: Backup, zone: Zone, letter: string): Properties[] {
  return [...state.map(([name, one]) => ({ ...one, name })), ...pending]
    .filter(({ name, outputs }) => name.startsWith(letter) && outputs["zoneId"] === zones[zone])
    .map(({ outputs }) => outputs);
}

/** Ids of rules of entry points that have made room for another one of the zone. */
function idsOfGone(state: Backup, now: Backup, zone: Zone): string[] {
  const names = namesIn(now.state, zone, "e");
  const gone = namesIn(state.state, zone, "e").filter((name) => !names.includes(name));
  const outputs = [
    ...state.state.filter(([name]) => gone.includes(name)).map(([, one]) => one.outputs),
    ...state.pending.filter((one) => one.outputs["zoneId"] === zones[zone]).map((one) => one.outputs),
  ];
  return outputs.flatMap((one) => idsOfRules(one));
}

function keptIds({ state, pending }: Backup): Set<string> {
  const ids = new Set<string>();
  for (const { outputs } of [...state.map(([, one]) => one), ...pending]) {
    if (outputs["onDestroy"] !== "keep") continue;
    if (typeof outputs["policyId"] === "string") ids.add(outputs["policyId"]);
    for (const id of Object.values(Object(outputs["policyIds"] ?? {}))) ids.add(String(id));
  }
  return ids;
}

function idsOfRules(outputs: Properties, isWithForeign = false): string[] {
  const rules: unknown = outputs["rules"];
  if (!Array.isArray(rules)) return [];
  // What a refresh has found of others is on record as theirs.
  return rules.flatMap(({ id, foreign }: Properties) =>
    typeof id === "string" && (isWithForeign || foreign !== true) ? [id] : [],
  );
}

function shortPath(path: string): string {
  for (const [name, id] of Object.entries(zones)) {
    if (path.startsWith(`/zones/${id}`))
      return `${name}${path.slice(`/zones/${id}`.length)}`.replace(
        "/rulesets/phases/http_request_firewall_managed",
        "",
      );
  }
  return path;
}
