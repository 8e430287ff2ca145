import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../../command/src/run";
import type { Session } from "../../../command/src/shared/session";
import type { Clock } from "../../../provider/src/api/clock";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../simulator/src";

/** Id of the zone in most tests. */
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

/** Returns a session of a shell without a terminal. */
export function sessionOf(
  { env = {}, cwd = process.cwd(), stdin = "", now = Date.now, clock }: Given,
  out: Session["out"] = () => undefined,
  err: Session["err"] = () => undefined,
): Session {
  const shell = { env, cwd, out, err, readStdin: async () => stdin, isWatched: false, hasColour: false, now };
  return { ...shell, ...(clock && { clock }) };
}

/** Runs the command in this process, like a shell without a terminal. */
export async function pageGuard(args: readonly string[], given: Given = {}): Promise<Ended> {
  const said = { out: "", err: "" };
  const to = (stream: keyof typeof said) => (text: string) => {
    said[stream] += text;
  };
  const code = await run(args, sessionOf(given, to("out"), to("err")));
  return { code, ...said };
}

/** Asserts the exit code of a command. Returns standard error if the code is 1, otherwise standard output. */
export async function printed(running: Promise<Ended>, expected: number): Promise<string> {
  const { code, out, err } = await running;
  assert.equal(code, expected, out + err);
  return expected === 1 ? err : out;
}

/** Creates an empty folder before each test and deletes it afterwards. */
export function useFolder(): string {
  const folder = join(tmpdir(), `page-guard-${randomUUID()}`);
  beforeEach("create the folder", () => void mkdirSync(folder));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Asserts that each command line is refused with exit code 1 and the expected reason. */
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
  /** Folder of this test. */
  readonly folder: string;
  /** Runs the command in the folder, with the simulator's URL and token in its environment. */
  pageGuard(args: readonly string[], given?: Given): Promise<Ended>;
}

/**
 * Returns a function that starts a test with a simulator and a folder. Asserts after each test that no command has changed a zone
 * or shown a token.
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
