import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Poisoner } from "../proof/hostile/poisoner";
import { useStories, zoneA } from "./real-engine/story";
import { expectNoneOfThree, expectThree, sharedZone, threeResources } from "./real-engine/three-resources";

describe("On the engine: the connection", function () {
  const begin = useStories(this);

  it("given an applied stack, when base URL, service name and token variable change, then no resource changes, a destroy without a token says so, and the token is in no log", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    stack.declare(threeResources(zoneA));
    const verbose = ["--logflow", "--logtostderr", "-v=11"];
    const log = await stack.up(...verbose);
    assert.ok(log.length > 50_000, "the log is verbose");
    const proxy = await Poisoner.before(sim.url);
    try {
      stack.env["PAGE_GUARD_BASE_URL"] = proxy.url;
      stack.env["PAGE_GUARD_SERVICE"] = "page_shield";
      delete stack.env["PAGE_GUARD_API_TOKEN"];
      await stack.expectEmptyPreview();
      stack.env["PAGE_GUARD_API_TOKEN"] = sim.token;
      await stack.refresh("--expect-no-changes", ...verbose);
      assert.ok(sim.requests({ path: "page_shield" }).length > 0, "the refresh uses the other name");

      stack.env["PAGE_GUARD_BASE_URLS"] = sim.url;
      const connection = { baseUrl: sim.url, tokenEnv: "ANOTHER_TOKEN", service: "page_guard" };
      stack.env["ANOTHER_TOKEN"] = sim.token;
      delete stack.env["PAGE_GUARD_API_TOKEN"];
      const all = { settings: { connection }, policy: { connection }, entrypoint: { connection } };
      stack.declare(threeResources(zoneA, all));
      const requests = sim.journal.length;
      await stack.up("--expect-no-changes");
      assert.equal(sim.journal.length, requests, "an up without changes sends no request");
    } finally {
      await proxy.stop();
    }
    // No resource has changed, so the new argument is not in the state. Refresh and destroy do not run the program:
    // they use the connection in the state.
    assert.match(await stack.fails("destroy", "--yes", "--skip-preview"), /No API token is set/);
    stack.env["PAGE_GUARD_BASE_URL"] = sim.url;
  });

  it("given a token and a base URL in the stack's config, when the stack is applied, refreshed and destroyed, then both are used, and the token is stored only as ciphertext", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    const environment = { ...stack.env };
    delete stack.env["PAGE_GUARD_API_TOKEN"];
    delete stack.env["PAGE_GUARD_BASE_URL"];
    stack.declare(threeResources(zoneA));
    const without = await stack.fails("preview");
    assert.match(without, /No API token is set\. Set the environment variable PAGE_GUARD_API_TOKEN, or the/);
    assert.match(without, /pulumi config set --secret page-guard:apiToken/);
    const set = await stack.run(
      ...["config", "set-all", "--secret", `page-guard:apiToken=${sim.token}`],
      ...["--plaintext", `page-guard:baseUrl=${sim.url}`],
    );
    assert.equal(set.code, 0, set.output);
    assert.doesNotMatch(await stack.up(), /not as a secret/);
    expectThree(sim, zoneA);
    await stack.refresh("--expect-no-changes");
    // The token is rotated. Until the next up, refresh and destroy get the old config; the environment wins over it.
    sim.token = randomBytes(24).toString("hex");
    stack.env["PAGE_GUARD_API_TOKEN"] = sim.token;
    stack.env["PAGE_GUARD_BASE_URL"] = environment["PAGE_GUARD_BASE_URL"];
    const settingsFile = join(stack.place.project, "Pulumi.dev.yaml");
    const configured = readFileSync(settingsFile, "utf8");
    const plain = configured.replace(/(page-guard:apiToken:)\s+secure: \S+/, "$1 plain");
    assert.notEqual(plain, configured);
    writeFileSync(settingsFile, plain);
    const warnings = (await stack.preview()).messages.filter(({ text }) => text.includes("not as a secret"));
    const told = warnings.map(({ severity, name }) => `${severity} ${name}`);
    assert.deepEqual(told, ["warning undefined"]);
    await stack.destroy();
    expectNoneOfThree(sim, zoneA);
  });
});
