import assert from "node:assert/strict";
import { AuthenticationError } from "../../../provider/src/errors/authentication-error";
import { EnrollmentRequiredError } from "../../../provider/src/errors/enrollment-required-error";
import { NotFoundError } from "../../../provider/src/errors/not-found-error";
import { readZoneContents } from "../../../provider/src/lifecycle/approval/zone-contents";
import type { ZoneReader } from "../../../provider/src/zone/read-zone";
import { zoneA } from "../../small-engine/zones";

describe("What is read of a zone", () => {
  const reader = (more: Partial<ZoneReader> = {}): ZoneReader =>
    ({
      getSettings: async () => ({ updatedAt: "t", enabled: true }),
      listPolicies: async () => [],
      getEntrypoint: async () => undefined,
      getCompatibility: async () => ({ compatible: true, migrationState: "start" }),
      getWafStatus: async () => ({ record: {}, oldEnabled: true, newEnabled: false }),
      getWafConfiguration: async () => ({ name: "default", rules: [] }),
      ...more,
    }) as ZoneReader;
  const failing = (error: Error) => async () => {
    throw error;
  };
  const refused = (httpStatus: number) => new AuthenticationError({ outcome: "refused", httpStatus }, "x");
  const all = new Set(["settings", "policies", "rules", "migration"] as const);

  it("is the requested parts, without versions and times", async () => {
    const rules = [
      { id: "r", version: "3", lastUpdated: "t", action: "skip", expression: "true" },
      { action: "log", expression: "true" },
    ];
    const client = reader({ getEntrypoint: async () => ({ name: "n", rules }) as never });
    const { zoneId, parts, objects } = await readZoneContents(client, zoneA.toUpperCase(), { needed: all });
    assert.deepEqual([zoneId, parts], [zoneA, ["settings", "policies", "rules", "migration"]]);
    assert.deepEqual(
      objects.map(({ kind, id, fields }) => [kind, id, fields]),
      [
        ["settings", "", { enabled: true }],
        ["entrypoint", "", { name: "n", order: ["r", "without an id, 2"] }],
        ["rule", "r", { action: "skip", expression: "true" }],
        ["rule", "without an id, 2", { action: "log", expression: "true" }],
        [
          "migration",
          "",
          {
            compatible: true,
            migrationState: "start",
            oldEnabled: true,
            newEnabled: false,
            proposed: { name: "default", rules: [] },
          },
        ],
      ],
    );
    const some = await readZoneContents(client, zoneA, { needed: new Set(["settings"]) });
    assert.deepEqual(some.parts, ["settings"]);
  });

  it("is nothing for a zone that no longer exists, and what is readable where parts are optional", async () => {
    const gone = new NotFoundError({ outcome: "refused", httpStatus: 404 });
    const absent = await readZoneContents(reader({ getSettings: failing(gone) }), zoneA, {
      needed: new Set(["settings"]),
    });
    assert.deepEqual([absent.parts, absent.objects], [["settings"], []]);
    const forbidden = reader({ listPolicies: failing(refused(403)) });
    for (const status of [400, 403, 499]) {
      const partly = reader({ listPolicies: failing(refused(status)) });
      const seen = await readZoneContents(partly, zoneA, {
        needed: new Set(["settings"]),
        wished: ["policies"],
      });
      assert.deepEqual(seen.parts, ["settings"], String(status));
    }
    await assert.rejects(readZoneContents(forbidden, zoneA, { needed: all }), AuthenticationError);
    for (const status of [429, 500]) {
      const passing = reader({ listPolicies: failing(refused(status)) });
      await assert.rejects(
        readZoneContents(passing, zoneA, { needed: new Set(["settings"]), wished: ["policies"] }),
        AuthenticationError,
      );
    }
    await assert.rejects(
      readZoneContents(reader({ listPolicies: failing(new Error("odd")) }), zoneA, {
        needed: new Set(),
        wished: ["policies"],
      }),
      /odd/,
    );
  });

  it("is an empty list for a zone without rules, and less of a migration whose interface no longer exists", async () => {
    const none = new EnrollmentRequiredError({ outcome: "refused", httpStatus: 400 });
    const gone = failing(new NotFoundError({ outcome: "refused", httpStatus: 410 }));
    const client = reader({
      getEntrypoint: failing(none),
      getCompatibility: gone,
      getWafStatus: gone,
      getWafConfiguration: gone,
    });
    const { objects } = await readZoneContents(client, zoneA, { needed: new Set(["rules", "migration"]) });
    assert.deepEqual(
      objects.map(({ kind, fields }) => [kind, fields]),
      [
        ["entrypoint", { order: [] }],
        ["migration", {}],
      ],
    );
    await assert.rejects(
      readZoneContents(reader({ getEntrypoint: failing(new Error("odd")) }), zoneA, { needed: all }),
      /odd/,
    );
    await assert.rejects(
      readZoneContents(reader({ getWafStatus: failing(refused(403)) }), zoneA, { needed: all }),
      AuthenticationError,
    );
  });
});
