import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { root } from "../setup/workspace.mjs";
import { expect, expectEqual } from "./stage.mjs";
import { timeless } from "./zone-picture.mjs";

const zoneId = "c9f0f895fb98ab9159f51fd0297e236d";

/** The quickstart in YAML, with the provider plugin. The program needs no Node. */
export const actYaml = {
  title: "In YAML: the same resources by the provider plugin",

  async play(stage) {
    const { sim, scratch } = stage;
    sim.zones.seed(zoneId, { scripts: 0, connections: 0, cookies: 0 });
    const found = timeless(sim.zone(zoneId));
    const project = join(scratch, "page-guard-yaml");
    cpSync(join(root, "templates/yaml"), project, { recursive: true });
    // Instead of `npm install`, links the packages of this repository.
    symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
    const stack = await stage.openStack(project, "yaml", { zoneId });
    const ours = () => sim.zone(zoneId).policies[0];

    await stack.step("Applied: monitoring is switched on and the policy is created.", {
      run: ["up", "--yes", "--skip-preview"],
      shows: ["page-guard:index:CspPolicy checkout created", "+ 3 created"],
      sends: { PUT: 1, POST: 1 },
      after() {
        expect(sim.zone(zoneId).settings.enabled, "Monitoring had to be on.");
        expect(
          ours()?.value === "script-src 'self' https://js.payments.example; object-src 'none'",
          "The policy had to be the one of the program.",
        );
      },
    });

    await stack.step("A second preview finds nothing to do, and asks the API nothing.", {
      run: ["preview", "--expect-no-changes"],
      shows: ["3 unchanged"],
      asksNothing: true,
    });

    await stage.pageGuard(project).step("Someone narrows the policy in the dashboard: drift names it.", {
      before: () => sim.dashboard.putPolicy(zoneId, { ...ours(), expression: "false" }),
      run: ["drift", "--stack", "yaml", "--name", `${zoneId}=shop`],
      exit: 2,
      shows: ["shop: changed: checkout expression"],
    });

    await stack.step("Destroy: the policy is deleted, and the settings are again as they were found.", {
      run: ["destroy", "--yes", "--skip-preview"],
      shows: ["- 3 deleted"],
      sends: { PUT: 1, DELETE: 1 },
      after: () =>
        expectEqual(timeless(sim.zone(zoneId)), found, "The zone had to be as it was before the act."),
    });
  },
};
