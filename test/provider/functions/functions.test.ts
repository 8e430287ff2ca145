import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { PageGuardError } from "../../../provider/src/errors/page-guard-error";
import {
  getConnection,
  getConnections,
  getCookie,
  getCookies,
  getEntrypoint,
  getEntrypointOutput,
  getPolicies,
  getPoliciesOutput,
  getPolicy,
  getScript,
  getScriptOutput,
  getScripts,
  getScriptsOutput,
  getSettings,
  getSettingsOutput,
  getWafCompatibility,
  getWafConfiguration,
  getWafConfigurationOutput,
  getWafStatus,
  getWafStatusOutput,
  iterateConnections,
  iterateCookies,
  iterateScripts,
} from "../../../provider/src/functions/reads";
import { type Simulator, startSimulator } from "../../../simulator/src";

const zoneId = "0123456789abcdef0123456789abcdef";

/** Arguments that also list the items that are hidden by default, except inactive ones. */
const whole = { zoneId, excludeCdnCgi: false, excludeDuplicates: false };

/** Arguments that a program without types may pass. */
function sloppy(args: object): { zoneId: string } {
  return { zoneId, ...args };
}

describe("Functions", () => {
  let simulator: Simulator;
  const variables = ["PAGE_GUARD_API_TOKEN", "PAGE_GUARD_BASE_URL"];
  const usual = variables.map((name) => process.env[name]);
  before(async () => {
    simulator = await startSimulator();
    process.env["PAGE_GUARD_API_TOKEN"] = simulator.token;
    process.env["PAGE_GUARD_BASE_URL"] = simulator.url;
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
      call: () => ({}),
    });
  });
  beforeEach(() => {
    simulator.journal.clear();
    simulator.zones.seed(zoneId, {
      scripts: 230,
      connections: 20,
      cookies: 5,
      plan: "enterprise",
      policies: [{ description: "theirs" }],
      waf: { owasp: true },
    });
  });
  after(async () => {
    for (const [index, name] of variables.entries()) {
      delete process.env[name];
      Object.assign(process.env, usual[index] && { [name]: usual[index] });
    }
    await simulator.stop();
  });

  async function readAll(zoneId: string): Promise<void> {
    assert.equal((await getSettings({ zoneId })).enabled, false);
    assert.equal((await getPolicies({ zoneId }))[0]?.description, "theirs");
    const [policy] = await getPolicies({ zoneId });
    assert.deepEqual(await getPolicy({ zoneId, policyId: policy?.policyId ?? "" }), policy);
    assert.equal((await getWafCompatibility({ zoneId })).compatible, true);
    assert.ok((await getWafConfiguration({ zoneId })).rules.length > 0);
    assert.equal((await getWafStatus({ zoneId })).oldEnabled, true);
    const [script] = await getScripts({ zoneId, limit: 1 });
    assert.equal((await getScript({ zoneId, scriptId: script?.id ?? "" })).url, script?.url);
    const [connection] = await getConnections({ zoneId, limit: 1 });
    assert.equal((await getConnection({ zoneId, connectionId: connection?.id ?? "" })).url, connection?.url);
    const [cookie] = await getCookies({ zoneId, limit: 1 });
    assert.equal((await getCookie({ zoneId, cookieId: cookie?.id ?? "" })).name, cookie?.name);
    assert.deepEqual(await getEntrypoint({ zoneId }), { rules: [] }, "never configured");
    for await (const { id } of iterateScripts({ zoneId, limit: 1 })) assert.equal(id, script?.id);
    for await (const { id } of iterateConnections({ zoneId, limit: 1 })) assert.equal(id, connection?.id);
    for await (const { id } of iterateCookies({ zoneId, limit: 1 })) assert.equal(id, cookie?.id);
  }

  it("read everything that a zone has, also given its id in capitals", async () => {
    await readAll(zoneId);
    await readAll(zoneId.toUpperCase());
  });

  it("read all pages of a list, and apply filters, also by status", async () => {
    const everything = await getScripts({ ...whole, status: "all" });
    assert.equal(everything.length, 230);
    const active = await getScripts(whole);
    assert.ok(active.length < 230 && active.every(({ status }) => status === "active"));
    const rest = await getScripts({ ...whole, status: ["infrequent", "inactive"] });
    assert.equal(active.length + rest.length, 230);
    const host = everything[0]?.host ?? "";
    const there = await getScripts({ zoneId, hosts: [host], orderBy: "first_seen_at", direction: "asc" });
    assert.ok(there.length > 0 && there.every((script) => script.host === host));
    const times = there.map(({ firstSeenAt = "" }) => firstSeenAt);
    assert.deepEqual(times, [...times].sort());
  });

  it("read pages of the given size", async () => {
    assert.equal((await getCookies({ zoneId, status: "all", perPage: 2 })).length, 5);
    const sizes = simulator.journal.map(({ query }) => query["per_page"]);
    assert.deepEqual(sizes, ["2", "2", "2"]);
  });

  it("whose names end in Output accept outputs, and return no undefined values at any depth", async () => {
    const zone = pulumi.output(zoneId);
    const [script] = await getScripts({ zoneId, limit: 1 });
    const outputs: pulumi.Output<unknown>[] = [
      getSettingsOutput({ zoneId: zone }),
      getScriptsOutput({ zoneId: zone, status: "all" }),
      getScriptOutput({ zoneId: zone, scriptId: pulumi.output(script?.id ?? "") }),
      getPoliciesOutput(pulumi.output({ zoneId })),
      getWafConfigurationOutput({ zoneId: zone }),
      getWafStatusOutput({ zoneId: zone }),
      getEntrypointOutput({ zoneId: zone, connection: pulumi.output({ service: "page_shield" as const }) }),
    ];
    for (const output of outputs) {
      const value = await new Promise<unknown>((resolve) => output.apply(resolve));
      assertDefined(value, "result");
      assert.deepEqual(JSON.parse(JSON.stringify(value)), value);
    }
  });

  it("keep the result of a secret argument secret", async () => {
    assert.equal(await pulumi.isSecret(getSettingsOutput({ zoneId: pulumi.secret(zoneId) })), true);
  });

  it("use the connection in the stack config if argument and environment have none", async () => {
    delete process.env["PAGE_GUARD_BASE_URL"];
    try {
      await assert.rejects(getSettings({ zoneId }), { code: "PG_CONNECTION" });
      pulumi.runtime.setConfig("page-guard:baseUrl", simulator.url);
      assert.equal((await getSettings({ zoneId })).enabled, false);
      const wrong = { zoneId, connection: { baseUrl: "https://x.example" } };
      await assert.rejects(getSettings(wrong), { code: "PG_CONNECTION_INVALID" });
    } finally {
      process.env["PAGE_GUARD_BASE_URL"] = simulator.url;
    }
  });

  it("stop when the caller aborts", async () => {
    await assert.rejects(getScripts({ zoneId }, { signal: AbortSignal.abort() }), { code: "PG_ABORTED" });
  });

  const wrong: [string, () => unknown, string][] = [
    ["a short zone id", () => getSettings({ zoneId: "abc" }), "zoneId"],
    ["no zone id", () => getScripts(sloppy({ zoneId: undefined })), "zoneId"],
    ["no item id", () => getScript({ zoneId, scriptId: "" }), "scriptId"],
    ["a path as an id", () => getPolicy({ zoneId, policyId: "../settings" }), "policyId"],
    ["a limit of 0", () => getScripts({ zoneId, limit: 0 }), "limit"],
    ["a fractional limit", () => getCookies({ zoneId, limit: 1.5 }), "limit"],
    ["a page of 101", () => getConnections({ zoneId, perPage: 101 }), "perPage"],
    ["a misspelt filter", () => getScripts(sloppy({ host: "x" })), "host"],
    ["a filter of another list", () => getCookies(sloppy({ urls: "x" })), "urls"],
    ["a comma in a list", () => getScripts({ zoneId, hosts: ["a,b"] }), "hosts"],
    ["an unknown order", () => getScripts(sloppy({ orderBy: "name" })), "orderBy"],
    ["no statuses at all", () => getScripts({ zoneId, status: [] }), "status"],
    ["a string for a boolean", () => getScripts(sloppy({ excludeCdnCgi: "no" })), "excludeCdnCgi"],
    ["a name from the prototype", () => getScripts(sloppy({ constructor: "x" })), "constructor"],
    ["nothing at all", () => Reflect.apply(getPolicies, undefined, []), "zoneId"],
    ["null", () => Reflect.apply(getScripts, undefined, [null]), "zoneId"],
    ["a short zone id of an iteration", () => iterateScripts({ zoneId: "abc" }).next(), "zoneId"],
  ];
  for (const [name, call, property] of wrong) {
    it(`refuse ${name} and name the argument, before anything is sent`, async () => {
      await assert.rejects(
        async () => call(),
        (error: unknown) => {
          assert.ok(error instanceof PageGuardError);
          assert.deepEqual([error.code, error.facts.property], ["PG_INPUT", property]);
          return true;
        },
      );
      assert.equal(simulator.journal.length, 0);
    });
  }

  it("suggest the nearest name for a misspelt argument, or list all names", async () => {
    await assert.rejects(getScripts(sloppy({ host: "x" })), /^InputError: host: .*Did you mean hosts\?$/);
    const message = /^connection: .* baseUrl, tokenEnv and service, .* environment variable/;
    await assert.rejects(getSettings(sloppy({ connection: { token: "x" } })), { code: "PG_INPUT", message });
    await assert.rejects(getSettings(sloppy({ zzzz: "x" })), /Known arguments: zoneId, connection\.$/);
  });
});

function assertDefined(value: unknown, path: string): void {
  assert.notEqual(value, undefined, `${path} is undefined`);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) assertDefined(inner, `${path}.${key}`);
}
