import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { settings } from "../real-engine/declaration";
import { changesOf } from "../real-engine/preview";
import { useStories, zoneA } from "../real-engine/story";
import { editedTrio, expectNoTrio, expectTrio, sharedZone, trio } from "../real-engine/trio";
import { secondDoor } from "./support/second-door";

describe("On the engine: the connection", function () {
  const begin = useStories(this);

  it("given an applied stack, when base URL, service name and token variable change, then no resource changes and all of it still works", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    stack.declare(trio(zoneA));
    await stack.up();
    const door = await secondDoor(sim.url);
    try {
      stack.env["PAGE_GUARD_BASE_URL"] = door.url;
      stack.env["PAGE_GUARD_SERVICE"] = "page_shield";
      await stack.expectEmptyPreview();
      await stack.refresh("--expect-no-changes");
      assert.ok(sim.requests({ path: "page_shield" }).length > 0, "the refresh has used the other name");

      const connection = { baseUrl: sim.url, tokenEnv: "ANOTHER_TOKEN", service: "page_guard" };
      stack.env["ANOTHER_TOKEN"] = sim.token;
      delete stack.env["PAGE_GUARD_API_TOKEN"];
      stack.declare(
        trio(zoneA, { settings: { connection }, policy: { connection }, entrypoint: { connection } }),
      );
      await stack.expectEmptyPreview();
      const changes = sim.changing().length;
      await stack.up();
      assert.equal(sim.changing().length, changes);
    } finally {
      await door.close();
    }
    await stack.expectEmptyPreview();
    // No resource has changed, so the engine has not recorded the new argument: refresh and destroy, which do not run
    // the program, go on with the connection of the last change.
    assert.match(await stack.fails("destroy", "--yes", "--skip-preview"), /No API token is set/);
    stack.env["PAGE_GUARD_API_TOKEN"] = sim.token;
    stack.env["PAGE_GUARD_BASE_URL"] = sim.url;
    await stack.destroy();
    expectNoTrio(sim, zoneA);
  });

  it("given an applied stack, when the token is rotated, then refresh and destroy use the new one at once, and the old one is refused with its source", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    stack.declare(trio(zoneA));
    await stack.up();
    const old = sim.token;
    sim.token = randomBytes(24).toString("hex");
    const refusal = await stack.fails("refresh", "--yes", "--skip-preview");
    assert.match(refusal, /The service refused the API token/);
    assert.match(refusal, /from the environment variable PAGE_GUARD_API_TOKEN/);
    assert.equal(
      Object.keys(stack.state()).length,
      3,
      "nothing is taken for gone because a token is refused",
    );
    assert.ok(!stack.said.includes(old));
    stack.env["PAGE_GUARD_API_TOKEN"] = sim.token;
    await stack.refresh("--expect-no-changes");
    await stack.expectEmptyPreview();
    await stack.destroy();
    expectNoTrio(sim, zoneA);
  });

  it("given an applied stack and neither a token nor PAGE_GUARD_OFFLINE, or the latter, when it is previewed, then only what needs the service is missing; when it is changed, then it is refused", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    stack.declare(trio(zoneA));
    await stack.up();
    const { length } = sim.journal;
    const { PAGE_GUARD_API_TOKEN } = stack.env;
    delete stack.env["PAGE_GUARD_API_TOKEN"];
    await stack.expectEmptyPreview();
    stack.declare(editedTrio(zoneA));
    assert.match(
      await stack.fails("preview"),
      /No API token is set\. Set the environment variable PAGE_GUARD_API_TOKEN/,
    );

    stack.env["PAGE_GUARD_OFFLINE"] = "1";
    const { messages, ...preview } = await stack.preview();
    assert.deepEqual(
      changesOf({ messages, ...preview }).map((change) => change.replace(/:.*/, "")),
      ["update csp", "update waf", "update watch"],
    );
    const told = messages.filter(({ text }) => text.includes("PAGE_GUARD_OFFLINE"));
    assert.deepEqual(
      told.map(({ severity, name }) => [severity, name]),
      [["warning", undefined]],
    );
    stack.env["PAGE_GUARD_API_TOKEN"] = PAGE_GUARD_API_TOKEN;
    assert.match(
      await stack.upFails(),
      /PAGE_GUARD_OFFLINE is set: under it programs are previewed, never applied/,
    );
    for (const command of ["refresh", "destroy"]) {
      assert.match(await stack.fails(command, "--yes", "--skip-preview"), /PAGE_GUARD_OFFLINE is set/);
    }
    assert.equal(sim.journal.length, length);
    delete stack.env["PAGE_GUARD_OFFLINE"];
    await stack.up();
    expectTrio(sim, zoneA, ", second edition");
  });

  it("given a token and a base URL in the stack's config, when the stack is applied, refreshed and destroyed, then they serve and the token rests only as ciphertext", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    const environment = { ...stack.env };
    delete stack.env["PAGE_GUARD_API_TOKEN"];
    delete stack.env["PAGE_GUARD_BASE_URL"];
    stack.declare(trio(zoneA));
    const without = await stack.fails("preview");
    assert.match(
      without,
      /No API token is set\. Set the environment variable PAGE_GUARD_API_TOKEN, or the stack config/,
    );
    assert.match(without, /pulumi config set --secret page-guard:apiToken/);
    assert.equal((await stack.run("config", "set", "--secret", "page-guard:apiToken", sim.token)).code, 0);
    assert.match(
      await stack.fails("preview"),
      /No base URL of the service is set\. Set the environment variable PAGE_GUARD_BASE_URL/,
    );
    assert.equal((await stack.run("config", "set", "page-guard:baseUrl", sim.url)).code, 0);
    assert.doesNotMatch(await stack.up(), /not as a secret/);
    expectTrio(sim, zoneA);
    await stack.expectEmptyPreview();
    await stack.refresh("--expect-no-changes");
    // Rotated: the engine hands the old config to refresh and destroy until the next up, the environment wins over it.
    sim.token = randomBytes(24).toString("hex");
    stack.env["PAGE_GUARD_API_TOKEN"] = sim.token;
    stack.env["PAGE_GUARD_BASE_URL"] = environment["PAGE_GUARD_BASE_URL"];
    await stack.refresh("--expect-no-changes");
    assert.equal((await stack.run("config", "set", "--plaintext", "page-guard:apiToken", "plain")).code, 0);
    const told = (await stack.preview()).messages.filter(({ text }) => text.includes("not as a secret"));
    assert.deepEqual(
      told.map(({ severity, name }) => [severity, name]),
      [["warning", undefined]],
    );
    await stack.destroy();
    expectNoTrio(sim, zoneA);
  });

  it("given a connection that cannot be used, when the stack is previewed, then one sentence says what to do and no request leaves", async () => {
    const { sim, stack } = await begin();
    const port = new URL(sim.url).port;
    const cases: readonly [baseUrl: string, told: RegExp][] = [
      [
        `http://127.0.0.1:${port}/client`,
        /does not end in \/v4, the version of the API.*Use a URL like https:/s,
      ],
      [`${sim.url}?debug=1`, /The base URL has a query.*Leave out everything from the \?/s],
      [
        "http://api.example.com/client/v4",
        /http to api\.example\.com, which would send the API token unencrypted.*Use https/s,
      ],
    ];
    for (const [baseUrl, told] of cases) {
      stack.declare({ watch: settings({ zoneId: zoneA, enabled: true, connection: { baseUrl } }) });
      assert.match(await stack.fails("preview"), told);
    }
    stack.declare({
      watch: settings({ zoneId: zoneA, enabled: true, connection: { tokenEnv: "NO_SUCH_VARIABLE" } }),
    });
    // The token of the environment is there, and may be for another service.
    assert.match(
      await stack.fails("preview"),
      /The variable NO_SUCH_VARIABLE that tokenEnv names is unset or empty/,
    );
    assert.equal(sim.journal.length, 0);
  });

  it("given the most talkative log of the engine, when the stack is applied and refreshed, then the token is in none of it", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    stack.declare(trio(zoneA));
    const talkative = ["--logflow", "--logtostderr", "-v=11"];
    const log = await stack.up(...talkative);
    assert.ok(log.length > 50_000, "the log is talkative");
    await stack.refresh(...talkative);
    assert.ok(!stack.said.includes(sim.token));
    await stack.expectEmptyPreview();
  });
});
