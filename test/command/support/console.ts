import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../../command/src/run";
import type { Session } from "../../../command/src/shared/session";
import type { Clock } from "../../../provider/src/api/clock";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../simulator/src";

/** The zone of most stories. */
export const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Given {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
  readonly cwd?: string;
  readonly now?: () => number;
  readonly clock?: Clock;
}

/** A session of a shell without a terminal. */
export function sessionOf(
  { env = {}, cwd = process.cwd(), stdin = "", now = Date.now, clock }: Given,
  out: Session["out"] = () => undefined,
  err: Session["err"] = () => undefined,
): Session {
  const shell = { env, cwd, out, err, readStdin: async () => stdin, isWatched: false, hasColour: false, now };
  return { ...shell, ...(clock && { clock }) };
}

/** The command in this process, as a shell without a terminal would run it. */
export async function pageGuard(args: readonly string[], given: Given = {}): Promise<Ended> {
  const said = { out: "", err: "" };
  const to = (stream: keyof typeof said) => (text: string) => {
    said[stream] += text;
  };
  const code = await run(args, sessionOf(given, to("out"), to("err")));
  return { code, ...said };
}

/** What a command says that ends with this code: on standard error where it fails, else on standard output. */
export async function printed(running: Promise<Ended>, expected: number): Promise<string> {
  const { code, out, err } = await running;
  assert.equal(code, expected, out + err);
  return expected === 1 ? err : out;
}

/** A folder of each story's own: empty when it begins, and gone when it has ended. */
export function useFolder(): string {
  const folder = join(tmpdir(), `page-guard-${randomUUID()}`);
  beforeEach("its folder", () => void mkdirSync(folder));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What each of these command lines of a table is refused with: 1, and such a reason. */
export async function expectRefusals(
  run: (args: readonly string[]) => Promise<Ended>,
  cases: readonly (readonly [args: readonly string[], reason: RegExp])[],
): Promise<void> {
  for (const [args, reason] of cases) {
    const { code, err } = await run(args);
    assert.equal(code, 1, args.join(" "));
    assert.match(err, reason);
  }
}

export interface Desk {
  readonly sim: Simulator;
  /** A folder of this story's own. */
  readonly folder: string;
  /** The command in that folder, with the simulator's URL and token in its environment. */
  pageGuard(args: readonly string[], given?: Given): Promise<Ended>;
}

/**
 * Gives the function that begins a story. After each of them: no request that changes something was sent, and no token
 * was shown.
 */
export function useDesk(): (options?: SimulatorOptions) => Promise<Desk> {
  const open: { desk: Desk; said: string[] }[] = [];

  afterEach("nothing was changed, no token was shown", async () => {
    const desks = open.splice(0);
    await Promise.all(desks.map(({ desk }) => desk.sim.stop()));
    for (const { desk, said } of desks) {
      rmSync(desk.folder, { recursive: true, force: true });
      assert.deepEqual(
        desk.sim.changing().map(({ method, path }) => `${method} ${path}`),
        [],
        "a command of page-guard has changed something",
      );
      assert.ok(!said.join("\n").includes(desk.sim.token), "the token was shown");
    }
  });

  return async (options) => {
    const sim = await startSimulator(options);
    const folder = mkdtempSync(join(tmpdir(), "page-guard-desk-"));
    const said: string[] = [];
    const desk: Desk = {
      sim,
      folder,
      async pageGuard(args, given = {}) {
        const env = { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token, ...given.env };
        const ended = await pageGuard(args, { cwd: folder, ...given, env });
        said.push(ended.out, ended.err);
        return ended;
      },
    };
    open.push({ desk, said });
    return desk;
  };
}
