import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createReadStream, rmSync } from "node:fs";
import { type Simulator, startSimulator, type ZoneSeed } from "../../../simulator/src";
import { engine, newPlace } from "./engine";
import { filesWithin } from "./files-within";
import { Stack } from "./stack";
import { UnmanagedObjects } from "./unmanaged-objects";

export const zoneA = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
export const zoneB = "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf";

/** A zone with an unmanaged policy, which no story may touch. */
export const zoneWithPolicy: ZoneSeed = {
  policies: [{ description: "unmanaged", expression: 'http.host eq "blog.example.com"' }],
  scripts: 0,
  connections: 0,
  cookies: 0,
};

export interface Story {
  readonly sim: Simulator;
  readonly stack: Stack;
  readonly unmanaged: UnmanagedObjects;
}

/**
 * Registers the hooks of all stories: before them, the engine is found or built; after each, its files must not contain
 * the token, and no unmanaged object may have changed. Returns the function that begins a story.
 */
export function useStories(
  suite: Mocha.Suite,
): (zones?: Readonly<Record<string, ZoneSeed>>) => Promise<Story> {
  // A story takes half a minute, and many times that on a busy machine.
  suite.timeout(3 * 3_600_000);
  const open: { story: Story; tokens: string[] }[] = [];

  before("find or build the engine", async () => {
    await engine();
  });

  afterEach("check that no token is stored, and no unmanaged object has changed", async function () {
    const stories = open.splice(0);
    const failed = this.currentTest?.state === "failed";
    for (const { story } of stories) {
      story.stack.killLeftOver();
      await story.sim.stop();
      // Prints the log of a failed story; its folder stays for inspection.
      if (failed)
        process.stderr.write(`${story.stack.protocol}\n(the stack is in ${story.stack.place.folder})\n`);
    }
    for (const { story, tokens } of stories) {
      if (!failed) story.unmanaged.expectUntouched();
      for (const token of [...tokens, story.sim.token]) await expectNoToken(token, story.stack);
      if (!failed) rmSync(story.stack.place.folder, { recursive: true, force: true });
    }
  });

  return async (zones = { [zoneA]: zoneWithPolicy }) => {
    const token = randomBytes(24).toString("hex");
    const sim = await startSimulator({ token });
    const unmanaged = new UnmanagedObjects(sim);
    for (const [zoneId, seed] of Object.entries(zones)) {
      sim.zones.seed(zoneId, seed);
      unmanaged.watch(zoneId);
    }
    const story = { sim, stack: new Stack(await newPlace(), sim), unmanaged };
    open.push({ story, tokens: [token] });
    return story;
  };
}

export async function expectNoToken(token: string, { said, place }: Stack): Promise<void> {
  assert.ok(!said.includes(token), "the CLI has shown the token");
  for (const file of filesWithin(place.folder))
    assert.ok(!(await holds(file, token)), `the token is in ${file.slice(place.folder.length + 1)}`);
}

async function holds(file: string, text: string): Promise<boolean> {
  let end = "";
  for await (const part of createReadStream(file, "latin1")) {
    if (`${end}${part}`.includes(text)) return true;
    end = String(part).slice(-text.length);
  }
  return false;
}
