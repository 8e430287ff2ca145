import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { root } from "../setup/workspace.mjs";
import { showText } from "./show.mjs";
import { zonePicture } from "./zone-picture.mjs";

const zoneId = "1679091c5a880faf6fb5e6087eb1b2dc";
const landingPage = {
  description: "Landing page, added in the dashboard",
  expression: 'http.host eq "landing.example.com"',
  value: "script-src *",
};
const named = ["--name", `${zoneId}=shop`];
const drift = ["drift", "--stack", "adopted", ...named];

/** Act three: a zone that people configured by hand becomes code, and `drift` reports objects that nobody declares. */
export const actThree = {
  title: "Act three: a zone that was configured by hand becomes code",

  async play(stage) {
    const { sim, scratch } = stage;
    sim.zones.seed(zoneId, JSON.parse(readFileSync(join(root, "examples/adopt/zone.json"), "utf8")));
    const infra = join(scratch, "infra");
    const pageGuard = stage.pageGuard(infra);

    await stage
      .pageGuard(scratch)
      .step("One command writes a program that declares years of work in the dashboard.", {
        before: () => showText(`${zonePicture(sim.zone(zoneId))}\n`),
        run: ["export", "--zone", zoneId, ...named, "--out", "infra"],
        shows: ["shop: settings, 2 policies, 2 WAF rules"],
      });
    // Link the packages of this repository instead of running `npm install`.
    mkdirSync(infra, { recursive: true });
    symlinkSync(join(root, "node_modules"), join(infra, "node_modules"));
    const stack = await stage.openStack(infra, "adopted");

    await stack.step("The import puts all objects into the state, protected, and changes no zone.", {
      run: ["import", "--file", "import.json", "--generate-code=false", "--yes", "--skip-preview"],
      shows: ["3 imported"],
    });

    await stack.emptyPreview("From now on the preview is empty, and sends no request.", "unchanged");

    await pageGuard.step("State and zone agree: drift sends one request per kind and runs no program.", {
      run: drift,
      shows: ["No drift."],
    });

    await pageGuard.step("Someone adds a policy in the dashboard. A refresh misses it, but drift names it.", {
      before: () => sim.dashboard.putPolicy(zoneId, landingPage),
      run: drift,
      exit: 2,
      shows: [
        `shop: never declared: policy "${landingPage.description}"`,
        "shop: not declared: 1 of 3 policies",
      ],
    });

    await pageGuard.step("With --declare, drift prints the code that declares the policy.", {
      run: [...drift, "--declare"],
      exit: 2,
      shows: ["add to the policies of the CspPolicySet shop-policies"],
    });
  },
};
