import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Approving, csp } from "./support/approving";
import { useDesk, zoneId } from "./support/console";
import { step } from "./support/events";

describe("A zone that cannot be read", () => {
  const open = useDesk();

  const refused = /^(STOPS {4}token: )?shop-de: .*the service refused the API token/m;
  for (const [command, code, said, ...args] of [
    ["export", 1, refused, "--out", "infra"],
    ["doctor", 2, refused],
    ["drift", 1, refused, "--state", "-"],
    ["apply", 1, refused],
    ["inventory check", 1, /^shop-de: 0 scripts/m],
    ["inventory update", 1, /^shop-de: .*Failed to list/m],
    ["report", 1, /^Could not be read: .* \(shop-de\)$/m],
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
        : desk.pageGuard([...command.split(" "), ...args, "--zone", zoneId], { stdin }));
      assert.equal(ended.code, code, ended.err);
      assert.match(ended.out + ended.err, said);
      assert.equal(story.updates(), 0);
    });
  }
});
