import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator/src";
import { csp } from "./support/approving";
import { type Desk, printed, useDesk, zoneId } from "./support/console";
import { step, urnOf } from "./support/events";
import { PlayedPulumi } from "./support/played-pulumi";
import { secret } from "./support/state-file";

describe("The service that a command reads", () => {
  const open = useDesk();
  let other: Simulator;

  beforeEach("a second service", async () => {
    other = await startSimulator();
    other.zones.seed(zoneId);
  });

  afterEach(async () => {
    await other.stop();
    assert.deepEqual(other.changing(), []);
  });

  async function begin() {
    const desk = await open();
    desk.sim.zones.seed(zoneId);
    const pulumi = new PlayedPulumi(desk);
    const asked = () => [desk.sim.journal.length > 0, other.journal.length > 0];
    return { desk, pulumi, asked };
  }

  const events = (connection: object | undefined, second = connection): object[] =>
    [connection, second].map((one, at) =>
      JSON.parse(
        step({ name: `csp${at}`, op: "create", after: { ...csp, ...(one && { connection: one }) } }),
      ),
    );
  const elsewhere = () => ({ baseUrl: other.url, tokenEnv: "SHOP_TOKEN" });
  const withToken = () => ({ SHOP_TOKEN: other.token, PAGE_GUARD_BASE_URLS: other.url });

  describe("for a program", () => {
    it("given a connection argument, then review and apply read the zone there, not at the environment's base URL", async () => {
      const { desk, pulumi, asked } = await begin();
      pulumi.previews(...events(elsewhere()));
      const file = join(desk.folder, "approved.json");
      const env = { ...pulumi.env, ...withToken() };
      const review = await desk.pageGuard(["review", "--approve", file, "--", "pulumi", "preview"], { env });
      assert.equal(review.code, 0, review.err);
      const apply = await desk.pageGuard(["apply", "--approved", file, "--", "pulumi", "up"], { env });
      assert.equal(apply.code, 0, apply.err);
      assert.deepEqual(asked(), [false, true]);
    });

    for (const [what, first, second] of [
      ["secret", secret("x", false)],
      ["unknown", "04da6b54-80e4-46f7-96ec-b56ff0331ba9"],
      ["inconsistent", "https://a.example/v4", "https://b.example/v4"],
    ] as const) {
      it(`given a zone's connection that is ${what}, then nothing can be approved`, async () => {
        const { desk, pulumi, asked } = await begin();
        pulumi.previews(...events({ baseUrl: first }, { baseUrl: second ?? first }));
        const env = { ...pulumi.env, PAGE_GUARD_BASE_URLS: "https://a.example/v4,https://b.example/v4" };
        const err = await printed(desk.pageGuard(["review", "--approve", "a.json"], { env }), 1);
        assert.match(err, /zone a0a1.* connection .* secret or not known yet, or has a different base URL/);
        assert.deepEqual(asked(), [false, false]);
        assert.ok(!existsSync(join(desk.folder, "a.json")));
      });
    }

    it("given a service name in the stack config, then it is used, although URL and token come from the environment", async () => {
      const { desk, pulumi } = await begin();
      pulumi.previews(...events(undefined));
      pulumi.configures({ "page-guard:service": { value: "page_shield" } });
      const env = { ...pulumi.env, PAGE_GUARD_SERVICE: "" };
      await desk.pageGuard(["review", "--approve", "a.json"], { env });
      assert.ok(desk.sim.journal.length > 0);
      assert.ok(desk.sim.journal.every(({ path }) => !path.includes("page_guard")));
    });
  });

  describe("for a stack of the backend", () => {
    it("given a connection argument, then the zone is read there, unless a flag says otherwise", async () => {
      const { desk, pulumi, asked } = await begin();
      pulumi.exports(stateOf(elsewhere()));
      const env = { ...pulumi.env, ...withToken() };
      const { err } = await desk.pageGuard(["drift", "--stack", "dev"], { env });
      assert.deepEqual(asked(), [false, true], err);
      other.journal.clear();
      // The token for the other host is not sent to this one.
      await desk.pageGuard(["drift", "--stack", "dev", "--base-url", desk.sim.url], { env });
      assert.deepEqual(asked(), [true, false]);
      assert.ok(desk.sim.journal.every(({ status }) => status !== 401 && status !== 403));
    });

    it("given environment and config, then another base URL in the config is refused unless it is allowed, and the environment takes precedence; without the environment, the config is used", async () => {
      const { desk, pulumi, asked } = await begin();
      const config = { "page-guard:baseUrl": other.url, "page-guard:apiToken": other.token };
      pulumi.exports(stateOf(undefined, config));
      const { err } = await desk.pageGuard(["drift", "--stack", "dev"], { env: pulumi.env });
      assert.match(err, /from the stack config page-guard:baseUrl.* \[base-url-not-allowed\]/);
      assert.deepEqual(asked(), [false, false]);
      await desk.pageGuard(["drift", "--stack", "dev"], { env: { ...pulumi.env, ...withToken() } });
      assert.deepEqual(asked(), [true, false]);
      desk.sim.journal.clear();
      const env = { ...pulumi.env, PAGE_GUARD_BASE_URL: "", PAGE_GUARD_API_TOKEN: "" };
      await desk.pageGuard(["drift", "--stack", "dev"], { env });
      assert.deepEqual(asked(), [false, true]);
    });
  });

  describe("for a file", () => {
    /** Commands with a file by a hostile author, which names another host and a variable with another secret. */
    const commands: Record<string, (desk: Desk, connection: object) => string[]> = {
      "drift --state": ({ folder }, connection) => {
        writeFileSync(join(folder, "state.json"), stateOf(connection));
        return ["drift", "--state", "state.json"];
      },
      "review --events --approve": ({ folder }, connection) => {
        const lines = [...events(connection), { summaryEvent: { isPreview: true, result: "succeeded" } }];
        writeFileSync(join(folder, "events"), lines.map((line) => JSON.stringify(line)).join("\n"));
        writeFileSync(join(folder, "plan"), JSON.stringify({ manifest: {}, resourcePlans: {} }));
        return ["review", "--events", "events", "--plan", "plan", "--approve", "approved.json"];
      },
    };

    for (const [name, given] of Object.entries(commands)) {
      it(`given ${name} with another host and variable, then nothing is sent, and the error names them`, async () => {
        const { desk, asked } = await begin();
        const command = given(desk, elsewhere());
        for (const env of [
          withToken(),
          { ...withToken(), PAGE_GUARD_BASE_URL: "", PAGE_GUARD_API_TOKEN: "" },
          { ...withToken(), PAGE_GUARD_BASE_URL: other.url },
        ]) {
          const err = await printed(desk.pageGuard(command, { env }), 1);
          assert.match(err, / different connection .*the token of SHOP_TOKEN/);
          assert.match(err, / --token-env\. \[PG_CONNECTION\]/);
          assert.ok(!err.includes(other.token));
        }
        assert.deepEqual(asked(), [false, false]);
        const flags = ["--base-url", `${other.url}/`, "--token-env", "SHOP_TOKEN"];
        const { err } = await desk.pageGuard([...command, ...flags], { env: withToken() });
        assert.deepEqual(asked(), [false, true], err);
      });

      it(`given ${name} with the same connection as in the environment, or none, then it reads there`, async () => {
        const { desk, asked } = await begin();
        for (const connection of [{}, { baseUrl: desk.sim.url, service: "page_guard" }]) {
          await desk.pageGuard(given(desk, connection));
          assert.deepEqual(asked(), [true, false]);
          desk.sim.journal.clear();
        }
      });
    }

    it("given a state with the config of a stack, then neither its URL, its service nor its token is used", async () => {
      const { desk, asked } = await begin();
      const ofConfig = { baseUrl: other.url, apiToken: other.token, service: "page_shield" };
      const config = Object.entries(ofConfig).map(([name, value]) => [`page-guard:${name}`, value]);
      writeFileSync(join(desk.folder, "state.json"), stateOf(undefined, Object.fromEntries(config)));
      const env = { PAGE_GUARD_BASE_URL: "" };
      const err = await printed(desk.pageGuard(["drift", "--state", "state.json"], { env }), 1);
      assert.match(err, / different connection .*: the base URL http:\/\/127\..*, the service page_shield\./);
      const ours = { PAGE_GUARD_SERVICE: "page_guard" };
      await desk.pageGuard(["drift", "--state", "state.json"], { env: ours });
      assert.deepEqual(asked(), [true, false]);
    });

    it("given a token or a URL with a password in place of a name, then it is not shown", async () => {
      const { desk } = await begin();
      const tokenEnv = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d";
      const baseUrl = "https://me:pass-word@evil.example/v4";
      writeFileSync(join(desk.folder, "state.json"), stateOf({ tokenEnv, baseUrl }));
      const err = await printed(desk.pageGuard(["drift", "--state", "state.json"]), 1);
      assert.match(err, /the base URL https:\/\/evil\.example\/v4, the token of a variable/);
      assert.ok(!err.includes(tokenEnv) && !err.includes("pass-word"));
    });
  });
});

/** Returns a state with one policy. */
function stateOf(connection: object | undefined, config?: object): string {
  const provider = {
    urn: "urn:pulumi:dev::story::pulumi:providers:pulumi-nodejs::default",
    type: "pulumi:providers:pulumi-nodejs",
    id: "1",
    inputs: config,
  };
  const resource = {
    urn: urnOf("csp"),
    type: "pulumi-nodejs:dynamic/page-guard:CspPolicy",
    id: `${zoneId}/1`,
    inputs: { ...csp, ...(connection && { connection }) },
    outputs: { ...csp, policyId: "1" },
  };
  return JSON.stringify({ version: 3, deployment: { resources: [...(config ? [provider] : []), resource] } });
}
