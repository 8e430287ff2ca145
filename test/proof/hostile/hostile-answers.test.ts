import assert from "node:assert/strict";
import { type Simulator, startSimulator } from "../../../simulator/src";
import { zoneA } from "../../provider/small-engine/zones";
import { hostileText, whatIsWrongWith } from "./hostile-text";
import { type Poison, Poisoner } from "./poisoner";
import { type HostileStory, noLimit, reads, Stage, stories } from "./stories";

/** Maximum length of a message with one text from outside. */
const longestWithOneText = 4000;

/** Fields that decide how a story continues. They are changed one at a time, but all other texts together. */
const steering =
  /(^|[.\]])(id|ref|version|action|expression|value|category|status|\w*_status|migration_state|hosts?)$/;

describe("Text from outside in every field of every answer", () => {
  let sim: Simulator;
  let between: Poisoner;

  before(async () => {
    // The stories have one user, and together they would reach the documented limit.
    process.env["PAGE_GUARD_MAX_REQUESTS_PER_5M"] = noLimit;
    sim = await startSimulator();
    between = await Poisoner.before(sim.url);
  });
  after(async () => {
    delete process.env["PAGE_GUARD_MAX_REQUESTS_PER_5M"];
    await Promise.all([between.stop(), sim.stop()]);
  });
  afterEach(() => {
    between.times = 1;
    between.headers = {};
    between.refusal = undefined;
  });

  /** Returns everything that a story prints if these fields have hostile values. */
  async function play(story: HostileStory, poisons: readonly Poison[]): Promise<readonly string[]> {
    sim.zones.seed(zoneA, story.zone);
    between.poisons = poisons;
    const stage = new Stage(sim, between.url);
    await story.tell(stage);
    return stage.printed;
  }

  /** Returns the operations and fields of a story without hostile values. */
  async function fieldsOf(story: HostileStory): Promise<{ poison: Poison; type: string }[]> {
    between.seen.clear();
    assert.deepEqual(harmsIn(await play(story, [])), [], "without anything hostile");
    return [...between.seen].flatMap(([operation, fields]) =>
      [...fields].map(([path, type]) => ({ poison: { operation, path, value: hostileText }, type })),
    );
  }

  for (const story of stories) {
    it(`does no harm in the output of: ${story.title}`, async () => {
      const fields = await fieldsOf(story);
      const texts = fields
        .filter(({ type }) => type === "string" || type === "none")
        .map(({ poison }) => poison);
      const [alone, together] = [texts.filter(isSteering), texts.filter((poison) => !isSteering(poison))];
      const wrong = harmsIn(await play(story, together), 6000);
      for (const poison of alone) {
        for (const harm of harmsIn(await play(story, [poison]))) {
          wrong.push(`${poison.operation} ${poison.path}: ${harm}`);
        }
      }
      between.times = 24;
      wrong.push(...harmsIn(await play(story, together), 6000));
      assert.deepEqual(wrong, []);
    });
  }

  for (const story of reads) {
    it(`is in no error of ${story.title}, for any field`, async () => {
      const fields = await fieldsOf(story);
      const unknown = new Set(
        fields.map(({ poison }) => JSON.stringify({ ...poison, path: besides(poison.path) })),
      );
      const wrong: string[] = [];
      for (const poison of [
        ...fields.map((field) => field.poison),
        ...[...unknown].map((text) => JSON.parse(text)),
      ]) {
        for (const harm of harmsIn(await play(story, [poison]))) wrong.push(`${poison.path}: ${harm}`);
      }
      assert.deepEqual(wrong, []);
    });
  }

  it("does no harm in a refusal, for any field and status", async () => {
    const says = [
      "",
      "not entitled ",
      "exceeded the maximum number of rules ",
      "waf enrollment is required ",
    ];
    // These characters are allowed in headers.
    between.headers = {
      "cf-ray": "::stop-commands::x\u009b ##[error]y <{%bogus%}>",
      "x-request-id": "##vso[a]b",
    };
    const wrong: string[] = [];
    for (const story of [...stories, ...reads]) {
      between.refusal = undefined;
      const statuses = reads.includes(story) ? [400, 403, 404, 422] : [400];
      for (const operation of new Set((await fieldsOf(story)).map(({ poison }) => poison.operation))) {
        for (const [index, status] of statuses.entries()) {
          const error = {
            code: 1004,
            message: `${says[index]}${hostileText}`,
            source: { pointer: hostileText },
            documentation_url: hostileText,
          };
          const body = { success: false, errors: [error, error], messages: [hostileText], result: null };
          between.refusal = { operation, status, body: JSON.stringify(body) };
          wrong.push(...harmsIn(await play(story, [])).map((harm) => `${operation} ${status}: ${harm}`));
        }
        between.refusal = { operation, status: 200, body: hostileText };
        wrong.push(...harmsIn(await play(story, [])).map((harm) => `${operation}, no JSON: ${harm}`));
      }
    }
    assert.deepEqual(wrong, []);
  });
});

function isSteering({ path }: Poison): boolean {
  return steering.test(path);
}

/** Returns the path of an unknown field in the same object. */
function besides(path: string): string {
  return path.replace(/(^|\.)[^.]*$/, "$1*");
}

function harmsIn(printed: readonly string[], longest = longestWithOneText): string[] {
  return [...new Set(printed.flatMap((text) => whatIsWrongWith(text, longest) ?? []))];
}
