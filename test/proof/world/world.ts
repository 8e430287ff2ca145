import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalEntry, Simulator } from "../../../simulator/src";
import type { Backup } from "../../provider/small-engine/checkpoint";
import type { Options } from "../../provider/small-engine/operation";
import { Books, type Initial } from "./books";
import { expectSecrecy, judgeConduct, unclearCreates } from "./conduct";
import { courseOf, type Plan } from "./course";
import { type Declarations, ourZones, zones } from "./declarations";
import { type Edit, edited } from "./edits";
import { expectForecast, makeApproval } from "./forecast";
import { gateways, token, withToken } from "./household";
import type { Machine, Stack } from "./machine";
import { MigrationBook } from "./migration-book";
import { actOf, type People } from "./people";
import { type Picture, pictureOf } from "./picture";
import { programOf } from "./program";
import type { Act, Attack, Scenario, Step } from "./story";
import { Trace } from "./trace";

interface SavedState {
  readonly backup: Backup;
  readonly initial: Initial;
}

type UpOptions = Partial<Omit<Extract<Step, { act: "up" }>, "act" | "edits" | "attack">>;

/** The file that an approved update passes to the provider. */
const approvalFile = join(tmpdir(), `page-guard-proof-${process.pid}.json`);

/** A service, a stack, the people who use the dashboard, and the books about who owns each object. */
export class World {
  readonly trace: Trace;
  readonly sim: Simulator;
  readonly stack: Stack;
  readonly books: Books;
  readonly quiet: string;
  program: Declarations = new Map();
  operations = 0;
  /** Whether the state may be outdated, so that only a refresh can find out the truth. */
  isStale = false;
  /** Whether the state lacks changes of an operation that was cut off, or is that of an earlier time. */
  private isCutOff = false;
  private readonly migration: MigrationBook;
  private readonly people: People;
  private readonly saved: SavedState[] = [];
  private programBefore: Declarations = new Map();
  /** Program of a provider that continues after its CLI died. */
  private orphaned: Declarations | undefined;
  /** Content of the zones when that CLI died, because the provider continues at once. */
  private atDeath: Picture | undefined;
  private meanwhile: Act | undefined;

  constructor(
    private readonly story: Scenario,
    private readonly machine: Machine,
  ) {
    this.sim = machine.sim;
    this.stack = machine.stack;
    this.trace = new Trace(this.sim);
    this.quiet = JSON.stringify(this.sim.zone(zones.q));
    this.migration = new MigrationBook(this.sim);
    this.books = new Books(pictureOf(this.sim));
    this.people = { sim: this.sim, books: this.books.of, count: 0 };
    machine.watch({
      arrived: (entry) => this.migration.arrived(entry),
      processed: (entry) => {
        this.migration.processed(entry);
        if (entry.method !== "GET") this.interrupt(entry);
      },
    });
  }

  get isPatient(): boolean {
    return this.story.isPatient;
  }

  async take(step: Step): Promise<void> {
    this.trace.step(step);
    switch (step.act) {
      case "up":
        await this.up(step.edits, step.attack, step);
        break;
      case "refresh":
        await this.operate(step.attack, { program: this.program, isReading: true }, async (death) => {
          await this.stack.refresh({ death }).catch(() => undefined);
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
        await this.orphansEnded();
        this.pass(step.ms);
        break;
      default:
        await this.orphansEnded();
        this.isStale = true;
        actOf(this.people, step);
    }
  }

  readonly up = async (edits: readonly Edit[], attack: Attack, options: UpOptions = {}): Promise<string> => {
    const { refresh = false, parallel = false, isTakenBack = false, isDeletedFirst = false } = options;
    // A migration is never undone.
    const migrations = [...this.program.values()].filter(({ kind }) => kind === "migration");
    const program = edited(isTakenBack ? edited(this.programBefore, migrations) : this.program, edits);
    this.programBefore = this.program;
    this.program = program;
    const there = [...program.values()]
      .filter(({ name, kind }) => kind !== "migration" && this.stack.state.has(name))
      .map(({ name }) => name);
    const at = (places: readonly number[] = []) =>
      places.flatMap((place) => there[place % there.length] ?? []);
    const [replace, replaceOnChanges] = [at(options.replace), at(options.replaceOnChanges)];
    const deleteBeforeReplace = isDeletedFirst ? [...replace, ...replaceOnChanges] : [];
    const plan = { program, refresh, forced: replace, deletedFirst: deleteBeforeReplace };
    const forecast =
      isCalm(attack) && !refresh
        ? await this.forecast(program, { replace, replaceOnChanges, deleteBeforeReplace })
        : undefined;
    if (forecast) writeFileSync(approvalFile, forecast.approval);
    const failure = await this.operate(attack, plan, (death) =>
      this.stack.tryUp(programOf(program), {
        refresh,
        parallel,
        replace,
        replaceOnChanges,
        deleteBeforeReplace,
        death,
        approval: forecast && approvalFile,
      }),
    );
    rmSync(approvalFile, { force: true });
    if (failure === "") forecast?.judge();
    return failure;
  };

  /**
   * Previews an update. `judge` compares the zones after it with the effects that a review shows before it. `approval`: the approved
   * inputs with which `page-guard apply` carries it out.
   */
  private async forecast(
    program: Declarations,
    {
      deleteBeforeReplace: deletedFirst = [],
      ...options
    }: Pick<Options, "replace" | "replaceOnChanges" | "deleteBeforeReplace">,
  ): Promise<{ readonly judge: () => void; readonly approval: string } | undefined> {
    if (this.isCutOff) return undefined;
    const backup = this.stack.backup();
    const isLagging = this.story.waf.lagsEverywhere && (this.story.waf.lagMs ?? 0) > 0;
    if (backup.state.some(([, { isPendingReplacement }]) => isPendingReplacement)) return undefined;
    const operations = await this.machine.foresee?.(programOf(program), options).catch(() => undefined);
    // A rule that is deleted first can be found again in an equal unmanaged rule, which effects do not foresee.
    if (!operations || deletedFirst.some((name) => operations.includes(`replace ${name}`))) return undefined;
    const before = pictureOf(this.sim);
    const { replace: forced = [] } = options;
    const planned = { backup, program: programOf(program), operations, forced, deletedFirst };
    const judge = (): void => {
      const after = pictureOf(this.sim);
      for (const zone of ourZones)
        if (zone !== "m" || !isLagging) expectForecast(planned, zone, before, after);
    };
    return { judge, approval: makeApproval(planned) };
  }

  async destroy(attack: Attack): Promise<string> {
    // Migrations are protected, so people exclude them from a destroy.
    this.program = new Map(
      [...this.program].filter(([, one]) => one.kind === "migration" && !one.allowForget),
    );
    return this.operate(attack, { program: this.program }, (death) =>
      this.stack.tryUp(programOf(this.program), { death }),
    );
  }

  pass(milliseconds: number): void {
    this.machine.pass(milliseconds);
  }

  async orphansEnded(): Promise<void> {
    if (!this.orphaned) return;
    const before = this.atDeath ?? pictureOf(this.sim);
    await this.stack.orphansEnded();
    this.books.orphaned(before, pictureOf(this.sim), this.orphaned);
    this.migration.judge(true, undefined);
    this.orphaned = undefined;
  }

  expectDeclared(): void {
    this.books.expectDeclared(this.sim, this.stack.backup(), this.program);
    const migration = this.program.get("m1");
    if (migration?.kind === "migration") this.migration.expectDeclared(migration);
  }

  private async preview(program: Declarations): Promise<void> {
    await this.orphansEnded();
    const changes = this.sim.changing().length;
    const state = structuredClone(this.stack.backup());
    await this.stack.preview(programOf(program)).catch(() => undefined);
    assert.equal(this.sim.changing().length, changes, "a preview has changed something");
    assert.deepEqual(this.stack.backup(), state, "a preview has recorded something");
    this.expectSecrecy("");
  }

  private async operate(
    { faults, death, meanwhile }: Attack,
    plan: Plan,
    work: (death: Attack["death"]) => Promise<string>,
  ): Promise<string> {
    const { program } = plan;
    this.operations += 1;
    const programs = [program, ...(this.orphaned ? [this.orphaned] : [])];
    const processes = programs.length;
    const before = pictureOf(this.sim);
    const backupBefore = this.stack.backup();
    const wasStale = this.isStale;
    const toldBefore = this.sim.journal.length;
    this.books.declares(program);
    this.migration.declares(program, meanwhile?.zone === "m");
    for (const fault of faults) this.sim.faults.add(withToken(fault));
    for (const fault of gateways[this.story.gateway]) this.sim.faults.add(fault);
    this.meanwhile = processes === 1 ? meanwhile : undefined;
    const failure = await work(death);
    this.meanwhile = undefined;
    if (this.orphaned) await this.stack.orphansEnded();
    const isOrphaned = death !== undefined && "request" in death && death.side === "cli";
    this.orphaned = isOrphaned ? program : undefined;
    this.sim.faults.clear();
    this.trace.operation(failure);
    const wasCutOff = death !== undefined || processes > 1;
    this.noteStaleness({ ...plan, failure, isTroubled: wasCutOff || meanwhile !== undefined, backupBefore });
    const requests = this.sim.journal.slice(toldBefore);
    const course = courseOf(plan, {
      before,
      after: pictureOf(this.sim),
      backup: this.stack.backup(),
      programs,
      isOrphaned,
      backupBefore,
      failure,
      mayHaveLost: wasCutOff || isOrphaned,
      isDisturbed: meanwhile !== undefined,
      isSwitchDisturbed: meanwhile?.act === "switch",
      unclearCreates: unclearCreates(requests).length,
      writesTo: new Set(requests.flatMap(({ method, path }) => (method === "GET" ? [] : [path]))),
    });
    this.atDeath = course.after;
    if (this.books.judge(course).isStale) this.isStale = this.isCutOff = true;
    if (processes === 1 && meanwhile === undefined)
      this.migration.expectRecognised(failure, backupBefore.state.find(([name]) => name === "m1")?.[1]);
    this.migration.judge(processes === 1, course.mayHaveLost ? undefined : this.stack.state.has("m1"));
    judgeConduct(this.sim.journal);
    this.expectSecrecy(failure);
    const { refresh = false, isReading = false } = plan;
    const isSure = failure === "" && !course.mayHaveLost && !course.isDisturbed && !isReading;
    // After a success the zones equal the program, unless only a refresh could have seen a difference.
    const isReached = isSure && (refresh || !wasStale);
    if (isReached) this.expectDeclared();
    this.saved.push({ backup: course.backup, initial: this.books.initial });
    return failure;
  }

  private noteStaleness({
    program,
    refresh = false,
    deletedFirst = [],
    failure,
    isTroubled,
    backupBefore: { state, pending },
  }: Plan & { failure: string; isTroubled: boolean; backupBefore: Backup }): void {
    // The engine records nothing about a failed deletion, whether it was carried out or not.
    const isRemoving = pending.length + deletedFirst.length > 0 || state.some(([name]) => !program.has(name));
    if (refresh && failure === "" && !isTroubled) this.isStale = this.isCutOff = false;
    else if (isTroubled || (failure !== "" && isRemoving)) this.isStale = this.isCutOff = true;
  }

  private async replaceState({ backup, initial }: SavedState): Promise<void> {
    await this.orphansEnded();
    this.isStale = this.isCutOff = true;
    this.books.replaced(this.stack.backup(), backup, pictureOf(this.sim), new Map(initial));
    this.stack.restore(backup);
    this.saved.push({ backup, initial });
  }

  private expectSecrecy(failure: string): void {
    const { warnings, progress } = this.stack;
    expectSecrecy(token, [this.stack.backup(), warnings, progress, failure], this.sim.journal);
  }

  /** Lets a person act after a request. Edits of rules come after a write, because a client cannot see one between read and PUT. */
  private interrupt({ zoneId, path }: JournalEntry): void {
    const act = this.meanwhile;
    if (!act) return;
    const isOfRules = act.act.endsWith(" rule") && act.zone !== "m";
    if (isOfRules && !(zoneId === zones[act.zone] && path.includes("/entrypoint"))) return;
    this.meanwhile = undefined;
    actOf(this.people, act);
  }
}

function isCalm({ faults, death, meanwhile }: Attack): boolean {
  return faults.length === 0 && death === undefined && meanwhile === undefined;
}
