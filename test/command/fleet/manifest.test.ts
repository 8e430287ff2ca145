import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ApprovedStack,
  beginManifest,
  readManifest,
  writeManifest,
} from "../../../command/src/fleet/manifest";
import { runFleet } from "../../../command/src/fleet/run-fleet";
import type { Session } from "../../../command/src/session";

const stacks: ApprovedStack[] = [
  { name: "shop", zoneId: "a".repeat(32), sha256: "0".repeat(64), isUnchanged: false, isFinish: true },
  { name: "blog", zoneId: "b".repeat(32), sha256: "1".repeat(64), isUnchanged: true, isFinish: false },
];

describe("The manifest of a fleet", () => {
  let folder: string;
  let file: string;
  const sessionWith = (env: NodeJS.ProcessEnv): Session => ({
    ...{ env, cwd: folder, isWatched: false, hasColour: false, now: Date.now },
    ...{ out: () => undefined, err: () => undefined, readStdin: async () => "" },
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-manifest-"));
    file = join(folder, "approved/manifest.json");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("is read as it was written, by who has the key", () => {
    for (const env of [{}, { PAGE_GUARD_APPROVAL_KEY: "k".repeat(32) }]) {
      writeManifest(sessionWith(env), "approved", stacks);
      assert.deepEqual([...readManifest(sessionWith(env), "approved").values()], stacks);
    }
  });

  it("given any change, another key or no key, then nothing of it is applied", async () => {
    const sealed = sessionWith({ PAGE_GUARD_APPROVAL_KEY: "k".repeat(32) });
    writeManifest(sealed, "approved", stacks);
    const text = readFileSync(file, "utf8");
    const refused = /is not as `page-guard fleet preview --approve` wrote it/;
    for (const session of [sessionWith({}), sessionWith({ PAGE_GUARD_APPROVAL_KEY: "j".repeat(32) })])
      assert.throws(() => readManifest(session, "approved"), refused);
    const edits: [string, string][] = [
      ["shop", "blog2"],
      ["a".repeat(32), "c".repeat(32)],
      ["0".repeat(64), "2".repeat(64)],
      ['"isUnchanged": false', '"isUnchanged": true'],
      ['"isFinish": true', '"isFinish": false'],
      ['"version": 2', '"version": 2, "more": true'],
      ['"seal"', '"sael"'],
    ];
    for (const [from, to] of edits) {
      assert.ok(text.includes(from), from);
      writeFileSync(file, text.replace(from, to));
      assert.throws(() => readManifest(sealed, "approved"), refused, `${from} to ${to}`);
    }
    writeFileSync(file, text.replace('"shop"', '"shap"'));
    writeFileSync(join(folder, "zones.yaml"), `- { id: "${"a".repeat(32)}", name: shop }\n`);
    const flags = { zones: "zones.yaml", parallel: 1, approved: "approved", maxFailures: 0, maxImpact: 1 };
    const run = async () => assert.fail("a command was run");
    await assert.rejects(runFleet(sealed, run, "apply", { ...flags, wait: 0 }), refused);
  });

  it("of an earlier preview is gone as soon as another one begins", () => {
    const session = sessionWith({});
    writeManifest(session, "approved", stacks);
    beginManifest(session, "approved");
    assert.throws(() => readManifest(session, "approved"));
  });
});
