import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Approving, csp } from "./support/approving";
import { useDesk, zoneId } from "./support/console";
import { step } from "./support/events";

describe("A zone that cannot be read", () => {
  const open = useDesk();

  for (const [command, code, ...args] of [
    ["export", 1, "--out", "infra"],
    ["doctor", 2],
    ["drift", 1, "--state", "-"],
    ["apply", 1],
  ] as const) {
    it(`is reported by ${command} with its name from zones.yaml`, async () => {
      const desk = await open();
      desk.sim.zones.seed(zoneId, {});
      writeFileSync(join(desk.folder, "zones.yaml"), `- { id: "${zoneId}", name: shop-de }\n`);
      const story = new Approving(desk);
      await story.approves(step({ name: "csp", op: "create", after: csp }));
      desk.sim.faults.add({ kind: "status", status: 403, path: "/" });
      const stdin = JSON.stringify({ deployment: { resources: [] } });
      const ended = await (command === "apply"
        ? story.apply()
        : desk.pageGuard([command, ...args, "--zone", zoneId], { stdin }));
      assert.equal(ended.code, code, ended.err);
      assert.match(
        ended.out + ended.err,
        /^(STOPS {4}token: )?shop-de: .*the service refused the API token/m,
      );
      assert.equal(story.updates(), 0);
    });
  }
});
