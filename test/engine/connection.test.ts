import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changesOf } from "./real-engine/preview";
import { useStories, zoneA } from "./real-engine/story";
import {
  expectNoneOfThree,
  expectThree,
  sharedZone,
  threeEdited,
  threeResources,
} from "./real-engine/three-resources";
import { secondDoor } from "./support/second-door";

describe("On the engine: the connection", function () {
  const begin = useStories(this);

  it("given the environment of an applied stack, when base URL, service name, token variable and token change, and there is none or PAGE_GUARD_OFFLINE, then no resource changes, what needs the service says what is missing, and the token is in no log", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    stack.declare(threeResources(zoneA));
    const talkative = ["--logflow", "--logtostderr", "-v=11"];
    const log = await stack.up(...talkative);
    assert.ok(log.length > 50_000, "the log is talkative");
    const door = await secondDoor(sim.url);
    try {
      stack.env["PAGE_GUARD_BASE_URL"] = door.url;
      stack.env["PAGE_GUARD_SERVICE"] = "page_shield";
      delete stack.env["PAGE_GUARD_API_TOKEN"];
      await stack.expectEmptyPreview();
      stack.env["PAGE_GUARD_API_TOKEN"] = sim.token;
      await stack.refresh("--expect-no-changes", ...talkative);
      assert.ok(sim.requests({ path: "page_shield" }).length > 0, "the refresh has used the other name");

      stack.env["PAGE_GUARD_BASE_URLS"] = sim.url;
      const connection = { baseUrl: sim.url, tokenEnv: "ANOTHER_TOKEN", service: "page_guard" };
      stack.env["ANOTHER_TOKEN"] = sim.token;
      delete stack.env["PAGE_GUARD_API_TOKEN"];
      stack.declare(
        threeResources(zoneA, {
          settings: { connection },
          policy: { connection },
          entrypoint: { connection },
        }),
      );
      const requests = sim.journal.length;
      await stack.up("--expect-no-changes");
      assert.equal(sim.journal.length, requests, "an up without changes sends no request");
    } finally {
      await door.close();
    }
    // No resource has changed, so the engine has not recorded the new argument: refresh and destroy, which do not run
    // the program, go on with the connection of the last change.
    assert.match(await stack.fails("destroy", "--yes", "--skip-preview"), /No API token is set/);
    stack.env["PAGE_GUARD_BASE_URL"] = sim.url;

    // The token is rotated: the old one is refused, and says where it came from.
    const old = sim.token;
    stack.env["PAGE_GUARD_API_TOKEN"] = old;
    sim.token = randomBytes(24).toString("hex");
    const refusal = await stack.fails("refresh", "--yes", "--skip-preview");
    assert.match(refusal, /Failed to [^:]+: the service refused the API token/);
    assert.match(refusal, /from the environment variable PAGE_GUARD_API_TOKEN/);
    assert.equal(
      Object.keys(stack.state()).length,
      3,
      "nothing is taken for gone because a token is refused",
    );
    assert.ok(!stack.said.includes(old));

    // Offline, and without one. (Without one alone: the next story.)
    const { length } = sim.journal;
    delete stack.env["PAGE_GUARD_API_TOKEN"];
    stack.declare(threeEdited(zoneA));
    stack.env["PAGE_GUARD_OFFLINE"] = "1";
    const { messages, ...preview } = await stack.preview();
    assert.deepEqual(
      changesOf({ messages, ...preview }).map((change) => change.replace(/:.*/, "")),
      ["update csp", "update waf", "update watch"],
    );
    const warnings = messages.filter(({ text }) => text.includes("PAGE_GUARD_OFFLINE"));
    assert.deepEqual(
      warnings.map(({ severity, name }) => [severity, name]),
      [["warning", undefined]],
    );
    stack.env["PAGE_GUARD_API_TOKEN"] = sim.token;
    assert.match(
      await stack.upFails(),
      /PAGE_GUARD_OFFLINE is set: under it programs are previewed, never applied/,
    );
    assert.match(await stack.fails("destroy", "--yes", "--skip-preview"), /PAGE_GUARD_OFFLINE is set/);
    assert.equal(sim.journal.length, length);
    delete stack.env["PAGE_GUARD_OFFLINE"];

    // With the new token all of it works at once.
    delete stack.env["PAGE_GUARD_SERVICE"];
    await stack.up();
    expectThree(sim, zoneA, ", second edition");
  });

  it("given a token and a base URL in the stack's config, when the stack is applied, refreshed and destroyed, then they serve and the token rests only as ciphertext", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    const environment = { ...stack.env };
    delete stack.env["PAGE_GUARD_API_TOKEN"];
    delete stack.env["PAGE_GUARD_BASE_URL"];
    stack.declare(threeResources(zoneA));
    const without = await stack.fails("preview");
    assert.match(
      without,
      /No API token is set\. Set the environment variable PAGE_GUARD_API_TOKEN, or the stack config/,
    );
    assert.match(without, /pulumi config set --secret page-guard:apiToken/);
    const set = await stack.run(
      ...["config", "set-all", "--secret", `page-guard:apiToken=${sim.token}`],
      ...["--plaintext", `page-guard:baseUrl=${sim.url}`],
    );
    assert.equal(set.code, 0, set.output);
    assert.doesNotMatch(await stack.up(), /not as a secret/);
    expectThree(sim, zoneA);
    await stack.refresh("--expect-no-changes");
    // Rotated: the engine hands the old config to refresh and destroy until the next up, the environment wins over it.
    sim.token = randomBytes(24).toString("hex");
    stack.env["PAGE_GUARD_API_TOKEN"] = sim.token;
    stack.env["PAGE_GUARD_BASE_URL"] = environment["PAGE_GUARD_BASE_URL"];
    const settingsFile = join(stack.place.project, "Pulumi.dev.yaml");
    const configured = readFileSync(settingsFile, "utf8");
    const plain = configured.replace(/(page-guard:apiToken:)\s+secure: \S+/, "$1 plain");
    assert.notEqual(plain, configured);
    writeFileSync(settingsFile, plain);
    const warnings = (await stack.preview()).messages.filter(({ text }) => text.includes("not as a secret"));
    assert.deepEqual(
      warnings.map(({ severity, name }) => [severity, name]),
      [["warning", undefined]],
    );
    await stack.destroy();
    expectNoneOfThree(sim, zoneA);
  });
});
