import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Poisoner } from "../proof/hostile/poisoner";
import { each } from "../support/each";
import { runPulumi } from "./real-engine/engine";
import { changesOf } from "./real-engine/preview";
import { useStories, zoneA } from "./real-engine/story";
import { managed, sharedZone } from "./real-engine/three-resources";
import { from, pluginSchema, resource, useYaml } from "./support/yaml-program";

const value = "script-src 'self'; object-src 'none'; base-uri 'self'";

/** A resource of each kind but WafMigration. */
function quartet(zoneId: unknown, edition = "") {
  const news = { action: "log", expression: 'http.host eq "news.example.com"', value: `${value}${edition}` };
  const managedRule = { action: "execute", expression: "true", actionParameters: { id: managed } };
  return {
    watch: resource("PageGuardSettings", {
      zoneId,
      enabled: true,
      useVendorReportingEndpoint: edition === "",
    }),
    csp: resource("CspPolicy", {
      zoneId,
      description: `checkout${edition}`,
      action: "log",
      expression: 'http.host eq "shop.example.com"',
      value,
    }),
    set: resource("CspPolicySet", {
      zoneId,
      policies: {
        blog: { action: "log", expression: "true", directives: { "script-src": ["'self'"] } },
        news,
      },
      lint: "off",
    }),
    waf: resource("ManagedWafEntrypoint", {
      zoneId,
      rules: [{ ...managedRule, description: `managed${edition}` }],
      foreignRules: "keep",
    }),
  };
}

function call(name: string, args: object) {
  return { "fn::invoke": { function: `page-guard:${name}`, arguments: args } };
}

describe("The plugin, in a program in YAML", function () {
  const begin = useStories(this);

  it("given all resources, when they are applied, edited, changed by someone else and destroyed, then each step shows exactly its changes", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    const declare = await useYaml(stack);
    const found = sim.zone(zoneA);
    declare({ resources: quartet(zoneA) });
    const created = ["create csp", "create set", "create waf", "create watch"];
    assert.deepEqual(changesOf(await stack.preview()), created);
    assert.deepEqual(sim.changing(), [], "a preview changes nothing");
    await stack.up();
    await stack.expectEmptyPreview();
    await stack.expectNoDrift();

    declare({ resources: quartet(zoneA, "; img-src 'self'") });
    const before = sim.changing().length;
    assert.deepEqual(changesOf(await stack.preview()), [
      "update csp: description",
      "update set: policies.news.value",
      "update waf: rules[0].description",
      "update watch: useVendorReportingEndpoint",
    ]);
    assert.equal(sim.changing().length, before, "a preview changes nothing");
    await stack.up();
    await stack.expectEmptyPreview();

    const policyOf = (description: string) =>
      sim.zone(zoneA).policies.find((policy) => policy.description === description)?.id ?? "";
    sim.dashboard.setSettings(zoneA, { enabled: false, use_vendor_reporting_endpoint: true });
    const edit = { description: "edited", action: "allow", expression: "false", value: "script-src 'none'" };
    sim.dashboard.putPolicy(zoneA, { id: policyOf("checkout; img-src 'self'"), ...edit });
    sim.dashboard.putPolicy(zoneA, { id: policyOf("blog"), value: "script-src 'none'" });
    const rule = sim.zone(zoneA).entrypoint?.rules.at(-1);
    const off = { id: managed, overrides: { enabled: false } };
    const ofRule = { description: "edited", expression: "false", enabled: false, action_parameters: off };
    sim.dashboard.changeRule(zoneA, rule?.id ?? "", ofRule);
    await stack.seesDrift();
    assert.deepEqual(changesOf(await stack.preview("--refresh")), [
      "update csp: action, description, expression, value",
      'update set: policies.blog.directives["script-src"][0]',
      "update waf: rules[0].actionParameters.overrides, rules[0].description, rules[0].enabled, rules[0].expression",
      "update watch: enabled, useVendorReportingEndpoint",
    ]);
    await stack.up("--refresh");
    await stack.expectNoDrift();
    await stack.expectEmptyPreview();

    await stack.destroy();
    const left = sim.zone(zoneA);
    assert.deepEqual(left.policies, found.policies);
    assert.deepEqual(
      each(left.entrypoint?.rules, "description"),
      found.entrypoint?.rules.map(({ description }) => description),
    );
    assert.equal(left.settings.enabled, found.settings.enabled);
  });

  it("given mistakes, when the program is previewed, then each error and warning is at its resource, with its code, and nothing changes", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    const declare = await useYaml(stack);
    const policy = { zoneId: zoneA, description: "shop", action: "log", expression: "true" };
    declare({
      resources: {
        loose: resource("CspPolicy", { ...policy, value: "script-src 'unsafe-eval'" }),
        wrong: resource("CspPolicy", { ...policy, action: "block", value }, { dependsOn: [from("loose")] }),
      },
    });
    const said = await stack.fails("preview", "--diff");
    assert.match(
      said,
      /CspPolicy resource 'wrong' has a problem: action: expected one of "log", "allow".* \[input-invalid\]/,
    );
    assert.match(said, /warning: value: .*unsafe-eval.* \[csp-lint-security-unsafe-eval\]/);
    assert.deepEqual(sim.changing(), []);

    declare({
      resources: { loose: resource("CspPolicy", { ...policy, value: "script-src 'unsafe-eval'" }) },
    });
    await stack.up();
    const { messages } = await stack.preview();
    assert.ok(
      messages.some(({ name, text }) => name === "loose" && text.includes("[csp-lint-security-unsafe-eval]")),
      "every preview repeats the warning",
    );
  });

  it("given secret inputs and a secret token in the config, when they are applied, then neither is in the state or the output", async () => {
    const { sim, stack } = await begin({ [zoneA]: sharedZone });
    const declare = await useYaml(stack);
    const { code } = await stack.run("config", "set", "--secret", "page-guard:apiToken", sim.token);
    assert.equal(code, 0);
    delete stack.env["PAGE_GUARD_API_TOKEN"];
    const hidden = "hidden-cdn.example";
    const source = { "fn::secret": `https://${hidden}` };
    const policy = (more: object) => ({ description: "d", action: "log", expression: "true", ...more });
    const resources = {
      csp: resource("CspPolicy", policy({ zoneId: zoneA, directives: { "script-src": [source] } })),
      set: resource("CspPolicySet", {
        zoneId: zoneA,
        policies: {
          open: policy({ value: "script-src 'none'" }),
          closed: policy({ value: { "fn::secret": `script-src https://${hidden}/a` } }),
        },
      }),
    };
    declare({ resources, outputs: { text: from("csp.value") } });
    await stack.up();
    await stack.expectEmptyPreview();
    await stack.refresh();
    await stack.expectEmptyPreview();
    assert.ok(sim.zone(zoneA).policies.some(({ value: text }) => text === `script-src https://${hidden}`));
    const state = readFileSync(stack.checkpoint, "utf8");
    assert.ok(!state.includes(hidden), "the state holds the secret in plain text");
    assert.ok(!stack.said.includes(hidden), "the secret was shown");
    assert.deepEqual(
      Object.keys(Object(stack.state()["set"]?.inputs["policies"])),
      ["closed", "open"],
      "a secret in one policy hides no other policy",
    );
  });

  it("given two providers with a token of their own, when a resource of each is applied, then neither uses the token of the environment", async () => {
    const { sim, stack } = await begin({ [zoneA]: {} });
    const declare = await useYaml(stack);
    await stack.run("config", "set", "--secret", "token", sim.token);
    stack.env["PAGE_GUARD_API_TOKEN"] = "a-token-that-the-service-does-not-know";
    const provider = (service: string) => ({
      type: "pulumi:providers:page-guard",
      properties: { apiToken: from("token"), service },
    });
    const csp = { zoneId: zoneA, description: "d", action: "log", expression: "true", value };
    declare({
      config: { token: { type: "string", secret: true } },
      resources: {
        ours: provider("page_guard"),
        theirs: provider("page_shield"),
        watch: resource("PageGuardSettings", { zoneId: zoneA, enabled: true }, { provider: from("ours") }),
        csp: resource("CspPolicy", csp, { provider: from("theirs") }),
      },
    });
    await stack.up();
    const services = sim.changing().map(({ method, path }) => `${method} ${path.split("/")[3]}`);
    assert.deepEqual(services.sort(), ["POST page_shield", "PUT page_guard"]);
  });

  it("given PAGE_GUARD_BASE_URL, when a program names another base URL in a function, a resource, a provider or the config, then no token goes there unless PAGE_GUARD_BASE_URLS lists it", async () => {
    const { sim, stack } = await begin({ [zoneA]: {} });
    const declare = await useYaml(stack);
    const proxy = await Poisoner.before(sim.url);
    try {
      const elsewhere = { baseUrl: proxy.url, tokenEnv: "ANOTHER_TOKEN" };
      stack.env["ANOTHER_TOKEN"] = sim.token;
      const ask = (connection: object) => ({
        variables: { settings: call("getSettings", { zoneId: zoneA, connection }) },
        outputs: { enabled: from("settings.enabled") },
      });
      const settings = (more?: object, options?: Readonly<Record<string, unknown>>) =>
        resource("PageGuardSettings", { zoneId: zoneA, enabled: true, ...more }, options);
      const provider = { type: "pulumi:providers:page-guard", properties: { baseUrl: proxy.url } };
      const programs = [
        ask(elsewhere),
        { resources: { watch: settings({ connection: elsewhere }) } },
        { resources: { there: provider, watch: settings({}, { provider: from("there") }) } },
        { resources: { watch: settings() }, config: { "page-guard:baseUrl": { value: proxy.url } } },
      ];
      for (const program of programs) {
        declare(program);
        const said = await stack.fails("preview");
        assert.match(said, /base URL .* is not among those that the environment .*PAGE_GUARD_BASE_URLS/s);
        assert.match(said, /\[base-url-not-allowed\]/);
        assert.equal(sim.journal.length, 0, JSON.stringify(program));
      }

      declare(ask({ baseUrl: `${sim.url.replace("http:", "HTTP:")}//` }));
      await stack.preview();
      assert.equal(sim.journal.length, 1, "another spelling is not another URL");

      stack.env["PAGE_GUARD_BASE_URLS"] = `https://api.example.com/v4, ${proxy.url}/`;
      for (const program of programs) {
        declare(program);
        const { length } = sim.journal;
        await stack.preview();
        assert.ok(sim.journal.length > length, JSON.stringify(program));
      }
    } finally {
      await proxy.stop();
    }
  });

  it("has a schema that passes the engine's linter", async () => {
    const { stack } = await begin({});
    const ended = await runPulumi(stack.place, ["schema", "check", pluginSchema]).ended;
    assert.equal(ended.code, 0, ended.output);
  });
});
