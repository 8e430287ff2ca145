import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { approvedFormat, readApproved, writeApproved } from "../../../command/src/approval/approved-file";
import { html, markdown } from "../../../command/src/documents/review/formats";
import { withEdits } from "../../../command/src/inventory/edit-text";
import { parseInventory } from "../../../command/src/inventory/inventory-file";
import { readEvents } from "../../../command/src/preview/read-events";
import { makeReview } from "../../../command/src/review/make-review";
import { CommandError } from "../../../command/src/shared/command-error";
import { processSession, type Session } from "../../../command/src/shared/session";
import { readZoneFlags } from "../../../command/src/shared/zones";
import { declaredZone } from "../../../command/src/state/declared-zone";
import { readState } from "../../../command/src/state/read-state";
import { recordedConnection, recordedResources } from "../../../command/src/state/recorded";
import { diagnostic, secretInEvent, stackStep, step, summary, urnOf } from "../../command/support/events";
import { stateText } from "../../command/support/state-file";
import { odd } from "./corpus";
import { anyText, damaged, feed, feedLater } from "./fuzz";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";

describe("Any files and events that a command may read", () => {
  let folder: string;
  let session: Session;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "page-guard-fuzz-"));
    session = { ...processSession(), cwd: folder, env: {} };
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Checks that a refusal has one of our messages. */
  async function refuses(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      assert.ok(error instanceof CommandError, `${error instanceof Error ? error.stack : error}`);
      assert.ok(error.message.length < 2000, error.message);
    }
  }

  it("given an inventory, then it becomes entries and faults, and edits are right or refused", async () => {
    const pieces = [
      ..."-:#&*!|>'\"%@`{}[],?\n".split(""),
      ..."- match: ;https://a.example/*;\n  ;\n- ;purpose: ;approved: ;null;|\n;...\n;---\n;# said\n;\r\n".split(
        ";",
      ),
      ..."{ by: A, reference: B, on: 2026-01-01 };- match: https://b.example/b.js\n".split(";"),
    ];
    await feedLater(anyText(pieces), async (given) => {
      const { entries, faults } = parseInventory(given);
      for (const { message } of faults) assert.ok(message.length < 2000 && !/[\p{Cc}\p{Cf}]/u.test(message));
      if (faults.length > 0) return;
      const marks = new Map([...entries.keys()].map((index) => [index, { gone: "2026-11-23" }]));
      await refuses(() => {
        const result = withEdits("a.yaml", given, [{ match: "https://new.example/" }], marks);
        assert.equal(parseInventory(result).entries.length, entries.length + 1);
      });
    });
  });

  it("given the engine's events and a file of findings, then they become a review without invalid entries", () => {
    const events = [
      stackStep(),
      step({
        name: "one",
        op: "update",
        before: { zoneId },
        after: { zoneId, value: secretInEvent },
        diff: { value: "add" },
      }),
      step({ name: "two", op: "delete", before: { zoneId, policies: { a: {} } } }),
      diagnostic("warning", "csp: two scripts would be blocked [csp-blocks-in-use]", urnOf("one")),
      summary(),
    ].map((line): unknown => JSON.parse(line));
    const blocks = { code: "csp-blocks-in-use", severity: "warning", zone: zoneId, urn: urnOf("one") };
    const findings = [
      { ...blocks, property: "", text: "x", data: { hosts: [{ host: "a" }] } },
      { kind: "position", urn: urnOf("one"), file: "/a/index.ts", line: 3 },
    ];
    const line = (samples: readonly unknown[]): fc.Arbitrary<string> =>
      fc.oneof(
        damaged(samples).map((value) => JSON.stringify(value)),
        fc.constantFrom(...samples).map((value) => JSON.stringify(value)),
        anyText(["{", "}", '"resourcePreEvent"', ":", ...odd]),
      );
    const lines = (samples: readonly unknown[]) => fc.array(line(samples), { maxLength: 8 });
    feed(fc.tuple(lines(events), lines(findings)), ([some, others]) => {
      const review = makeReview(readEvents(some, others), undefined, {
        version: "0",
        exitCode: 0,
        root: "/a",
      });
      assert.ok(markdown(review).length <= 60_000);
      assert.doesNotMatch(html(review), /<script/i);
    });
  });

  it("given a state, then it is read, with the objects that it declares, or refused", async () => {
    const recorded = {
      id: zoneId,
      inputs: { zoneId, enabled: true },
      outputs: { schemaVersion: 1 },
      hasInitErrors: false,
    };
    const set = { ...recorded, outputs: { policyIds: { a: "1" }, rules: [secretInEvent] } };
    const samples: unknown[] = [
      JSON.parse(
        stateText([
          { kind: "PageGuardSettings", state: new Map([["one", recorded]]) },
          { kind: "CspPolicySet", state: new Map([["two", set]]) },
        ]),
      ),
    ];
    const texts = fc.oneof(
      damaged(samples).map((value) => JSON.stringify(value)),
      anyText(odd),
    );
    await feedLater(texts, (text) =>
      refuses(async () => {
        const given = { ...session, readStdin: async () => text };
        const resources = await readState(given, { state: "-" });
        const known = recordedResources(resources);
        for (const { zoneId } of known) {
          declaredZone(zoneId, known);
          recordedConnection(zoneId, known, resources);
        }
      }),
    );
  });

  it("given a list of zones, then it is read or refused", async () => {
    const some = "- ;id: ;\n;  name: shop;&a ;*a;[;];{;};!!binary ;<<: ;? ;---\n;tags: ;'";
    const pieces = [zoneId, ...some.split(";"), ...odd];
    const read = (text: string): Promise<void> => {
      writeFileSync(join(folder, "zones.yaml"), text);
      return refuses(() => readZoneFlags(session, { zones: "zones.yaml" }));
    };
    for (const text of odd) await read(text);
    await feedLater(anyText(pieces), read);
  });

  it("given an approved file, then it has what was approved, or is refused in a sentence", () => {
    const content = {
      ...approvedFormat,
      madeAt: "2026-01-01T00:00:00.000Z",
      project: "p",
      stack: "s",
      plan: "{}",
      steps: [{ urn: urnOf("one"), type: "t", op: "create", unknown: [["a"]] }],
      findings: [],
      zones: [{ zoneId, parts: [], objects: [] }],
    };
    const file = join(folder, "approved.json");
    const session = { env: {}, cwd: folder };
    const read = (): unknown => readApproved(session, file).content;
    writeApproved(session, file, content);
    const text = readFileSync(file, "utf8");
    assert.deepEqual(read(), content);
    feed(
      fc.oneof(
        damaged([JSON.parse(text)]).map((value) => JSON.stringify(value)),
        anyText(odd),
      ),
      (other) => {
        writeFileSync(file, other);
        try {
          assert.deepEqual(read(), content, "something else passes for what was approved");
        } catch (error) {
          assert.ok(error instanceof Error && /^The approved file /.test(error.message), String(error));
          assert.ok(error.message.length < 1000, error.message);
        }
      },
    );
  });
});
