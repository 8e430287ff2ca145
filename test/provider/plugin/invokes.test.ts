import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pageGuard from "../../../provider/src";
import { createRun } from "../../../provider/src/lifecycle/run";
import { invoke, invokes } from "../../../provider/src/plugin/invokes";
import { startSimulator } from "../../../simulator/src";
import { runManaged } from "../../engine/real-engine/three-resources";
import { root } from "../../workspace/structure/source-files";
import { zoneA, zoneB } from "../small-engine/zones";

const reads = Object.keys(pageGuard).filter((name) => /^get.*(?<!Output)$/.test(name));
const rule = { action: "execute", expression: "true", action_parameters: runManaged.actionParameters };

describe("The functions of the plugin", () => {
  it("given a zone with objects of every kind, when each function is called, then it returns them", async () => {
    const sim = await startSimulator();
    try {
      sim.zones.seed(zoneA, { policies: [{ description: "d" }], entrypoint: { rules: [rule] } });
      sim.zones.seed(zoneB, { waf: { firewallRules: 1 } });
      const env = { PAGE_GUARD_BASE_URL: sim.url, PAGE_GUARD_API_TOKEN: sim.token };
      const run = createRun({ env });
      const { scripts, connections, cookies, policies } = sim.zone(zoneA);
      const [script, connection, cookie, policy] = [scripts[0], connections[0], cookies[0], policies[0]];
      const asked: Record<string, object> = {
        getScript: { zoneId: zoneA, scriptId: script?.id },
        getConnection: { zoneId: zoneA, connectionId: connection?.id },
        getCookie: { zoneId: zoneA, cookieId: cookie?.id },
        getPolicy: { zoneId: zoneA, policyId: policy?.id },
        getWafCompatibility: { zoneId: zoneB },
        getWafConfiguration: { zoneId: zoneB },
        getWafStatus: { zoneId: zoneB },
      };
      const all = Object.keys(invokes);
      assert.deepEqual(all.toSorted(), reads.toSorted(), "functions of the package, and of the plugin");
      for (const name of all) {
        const answer = await invoke(run, name, { ...(asked[name] ?? { zoneId: zoneA }) });
        assert.ok(Object.keys(answer).length > 0, `${name} answers with nothing`);
        const list = answer[invokes[name]?.list ?? ""];
        if (invokes[name]?.list !== undefined) assert.ok(Array.isArray(list) && list.length > 0, name);
      }
      assert.deepEqual(sim.changing(), []);
      await assert.rejects(invoke(run, "getNothing", {}), /no function getNothing/);
    } finally {
      await sim.stop();
    }
  });

  it("are the functions of the package, and the README and the page about languages list each", () => {
    for (const page of ["README.md", "docs/languages.md"]) {
      const text = readFileSync(join(root, page), "utf8");
      for (const name of reads) assert.ok(text.includes(`\`${name}\``), `${page}: ${name}`);
    }
  });
});
