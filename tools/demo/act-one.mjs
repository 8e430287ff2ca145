import assert from "node:assert/strict";
import { root } from "../setup/workspace.mjs";
import { showText } from "./show.mjs";
import { timeless, zonePicture } from "./zone-picture.mjs";

const zoneId = "8f14e45fceea167a5a36dedd4bea2543";
const payments = "https://js.payments.example";
const chat = "https://widgets.chat.example";
/** Host that pages of the shop use, and that no version of the policy allows. */
const statistics = "tags.statistics.example";

/** Policy of another team. Nothing in this act may change it. */
const blog = {
  description: "Blog, by the web team",
  expression: 'http.host eq "blog.example.com"',
  value: "script-src 'self'",
};
const landingPage = { ...blog, description: "Landing page, added in the dashboard" };
const up = ["up", "--yes", "--skip-preview"];
/** Scripts that visitors of the zone load. The first policy does not allow the chat and the statistics. */
const scripts = [
  "https://shop.example.com/app.js",
  `${payments}/v3.js`,
  `${chat}/loader.js`,
  `https://${statistics}/collect.js`,
].map((url) => ({
  url,
  host: "shop.example.com",
  status: "active",
  first_page_url: "https://shop.example.com/cart",
}));

/** The quickstart: from an empty stack to drift and back. */
export const actOne = {
  title: "Act one: settings and a CSP policy, from preview to destroy",

  async play(stage) {
    const { sim } = stage;
    const seen = { scripts, connections: 0, cookies: 0 };
    sim.zones.seed(zoneId, { plan: "business", policies: [blog], ...seen });
    const found = timeless(sim.zone(zoneId));
    const stack = await stage.openStack(root, "demo", { zoneId, "scripts[0]": payments });
    const zone = () => sim.zone(zoneId);
    const ours = () => zone().policies.find(({ description }) => description === "Scripts of the checkout");
    const expectPolicy = (...sources) =>
      assert.ok(
        ours()?.value === `script-src 'self' ${sources.join(" ")}; object-src 'none'`,
        `The policy should allow ${sources.join(" and ")} and nothing else.`,
      );
    const expectUnmanaged = (policies) =>
      assert.deepEqual(
        zone().policies.filter(({ id }) => id !== ours()?.id),
        policies,
        "Unmanaged policies should stay as they were.",
      );

    await stack.step("A new stack: the preview says what it would create, and changes nothing.", {
      run: ["preview"],
      shows: ["PageGuardSettings monitor create", "CspPolicy checkout create", "+ 3 to create"],
    });

    await stack.step("The update switches monitoring on and creates the policy.", {
      run: up,
      shows: ["CspPolicy checkout created", "+ 3 created"],
      sends: { PUT: 1, POST: 1 },
      after() {
        assert.ok(zone().settings.enabled, "Monitoring should be on.");
        expectPolicy(payments);
        expectUnmanaged(found.policies);
      },
    });

    await stack.emptyPreview("A second preview finds nothing to do, and sends no request.", "3 unchanged");

    await stack.step("An edit adds a script source. The preview shows a change of just that property.", {
      before: () => stack.set("scripts[1]", chat),
      run: ["preview", "--diff"],
      shows: [
        "~ pulumi-nodejs:dynamic/page-guard:CspPolicy: (update)",
        "~ directives",
        `"${chat}"`,
        "~ 1 to update",
      ],
    });

    await stack.step("The update applies the edit with one request.", {
      run: up,
      shows: ["CspPolicy checkout updated", "~ 1 updated"],
      sends: { PUT: 1 },
      after: () => expectPolicy(payments, chat),
    });

    await stack.step("Is the policy ready? The preview names a script in use that the policy would block.", {
      before: () => stack.set("action", "allow"),
      run: ["preview", "--diff"],
      shows: [/~ action\s*: "log" => "allow"/, "warning:", statistics],
      after: () => stack.unset("action"),
    });

    await stage.step("In the dashboard, someone stops monitoring, deletes our policy and adds another one.", {
      before() {
        sim.dashboard.setSettings(zoneId, { enabled: false });
        sim.dashboard.deletePolicy(zoneId, ours().id);
        sim.dashboard.putPolicy(zoneId, landingPage);
        showText(zonePicture(zone()));
      },
    });
    const unmanaged = zone().policies;

    await stack.step("A refresh finds the change and the deletion. It ignores the added policy.", {
      run: ["refresh", "--yes", "--skip-preview", "--diff"],
      shows: ["~ enabled: true => false", "- pulumi-nodejs:dynamic/page-guard:CspPolicy: (delete)"],
      hides: [landingPage.description],
    });

    await stack.step("One update repairs both and leaves the added policy alone.", {
      run: [...up, "--diff"],
      shows: ["~ enabled: false => true", "+ pulumi-nodejs:dynamic/page-guard:CspPolicy: (create)"],
      sends: { PUT: 1, POST: 1 },
      after() {
        assert.ok(zone().settings.enabled, "Monitoring should be on again.");
        expectPolicy(payments, chat);
        expectUnmanaged(unmanaged);
      },
    });

    await stack.step("A destroy deletes the policy and restores the settings that the stack found.", {
      run: ["destroy", "--yes", "--skip-preview"],
      shows: ["- 3 deleted"],
      sends: { PUT: 1, DELETE: 1 },
      after: () =>
        assert.deepEqual(
          timeless(zone()),
          { ...found, policies: unmanaged },
          "The zone should be as it was before, plus the added policy.",
        ),
    });
  },
};
