import assert from "node:assert/strict";
import { Alias } from "@pulumi/pulumi/proto/alias_pb";
import {
  fromStruct,
  loadRegistrations,
  toStruct,
} from "../../../provider/src/declaration/internals/provider-library";
import {
  type ProviderCalls,
  serveProvider,
} from "../../../provider/src/declaration/internals/provider-server";
import { createRun } from "../../../provider/src/lifecycle/run";
import { identifyStranger } from "../../../provider/src/plugin/connecting-user";
import { readCheckedConfig } from "../../../provider/src/plugin/provider-inputs";
import { servedResource } from "../../../provider/src/plugin/resource";
import { wafMigration } from "../../../provider/src/plugin/waf-migration";
import { cspPolicy } from "../../../provider/src/resources/csp-policy/lifecycle";
import { startEngine } from "../declaration/support/fake-engine";

const library = loadRegistrations();
const { grpc } = library;
const component = "page-guard:index:WafMigration";
const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const provider = "urn:pulumi:dev::story::pulumi:providers:page-guard::ours";

const unexpected = (): never => assert.fail("this is not called here");
const calls: ProviderCalls = {
  version: "1.2.3",
  schema: unexpected,
  checkConfig: readCheckedConfig,
  configure: unexpected,
  resource: () => servedResource(() => cspPolicy, createRun({ env: { PAGE_GUARD_OFFLINE: "1" } })),
  invoke: unexpected,
  components: { [component]: wafMigration },
};

describe("The server of the plugin", () => {
  let close: () => void = () => undefined;
  let client: InstanceType<typeof library.ResourceProviderClient>;

  before(async () => {
    const server = await serveProvider(calls, identifyStranger);
    const address = `127.0.0.1:${server.port}`;
    client = new library.ResourceProviderClient(address, grpc.credentials.createInsecure());
    close = () => {
      client.close();
      server.close();
    };
  });

  after(() => close());

  it("given provider arguments, when they are checked and compared, then each fault is reported, and a change does not replace the provider", async () => {
    const request = new library.CheckRequest()
      .setUrn(provider)
      .setNews(toStruct(library, { apiToken: "one", service: "page_fence" }));
    const checked = await call<InstanceType<typeof library.CheckResponse>>((done) =>
      client.checkConfig(request, done),
    );
    const places = checked.getFailuresList().map((failure) => failure.getReason().split(":", 1)[0]);
    assert.deepEqual(places, ["service"]);
    assert.notEqual(fromStruct(checked.getInputs())["apiToken"], "one", "it is a secret");
    const compared = new library.DiffRequest()
      .setUrn(provider)
      .setOlds(toStruct(library, { apiToken: "one", baseUrl: "https://a.example/v4" }))
      .setNews(toStruct(library, { apiToken: "two", baseUrl: "https://b.example/v4" }));
    const difference = await call<InstanceType<typeof library.DiffResponse>>((done) =>
      client.diffConfig(compared, done),
    );
    assert.equal(difference.getChanges(), library.DiffResponse.DiffChanges.DIFF_NONE);
    assert.deepEqual(difference.getReplacesList(), []);
  });

  it("given a misspelt directive, when a policy is checked, then it is refused in every language, unless the rule is off", async () => {
    const policy = { zoneId, description: "", action: "log", expression: "true" };
    const refused = async (more: object) => {
      const request = new library.CheckRequest()
        .setUrn("urn:pulumi:dev::story::page-guard:index:CspPolicy::csp")
        .setNews(toStruct(library, { ...policy, value: "scrip-src 'self'", ...more }));
      const checked = await call<InstanceType<typeof library.CheckResponse>>((done) =>
        client.check(request, done),
      );
      return checked.getFailuresList().map((failure) => failure.getReason());
    };
    const [reason = "", ...more] = await refused({});
    assert.match(reason, /Did you mean script-src\?.*\[csp-lint-unknown-directive\]/);
    assert.deepEqual(more, []);
    assert.deepEqual(await refused({ lint: { off: ["unknown-directive"] } }), []);
    assert.deepEqual(await refused({ value: "x-our-own 'self'" }), []);
  });

  it("given options of a migration, when it is constructed, then the component and its child get the same options as in TypeScript", async () => {
    const engine = await startEngine("dev");
    try {
      const request = new library.ConstructRequest()
        .setMonitorendpoint(engine.address)
        .setType(component)
        .setName("waf")
        .setParent("urn:parent")
        .setInputs(toStruct(library, { zoneId, stage: "finished", confirm: zoneId }))
        .setDependenciesList(["urn:dependency"])
        .setAliasesList([new Alias().setUrn("urn:old")])
        .setDeletedwith("urn:zone")
        .setRetainondelete(true)
        .setIgnorechangesList(["timeoutMinutes"]);
      request.getProvidersMap().set("page-guard", "urn:provider::id");
      await call((done) => client.construct(request, done));
      const [parent, child] = engine.requests;
      assert.ok(parent && child);
      for (const one of [parent, child]) {
        assert.deepEqual(one.getDependenciesList(), ["urn:dependency"]);
        assert.equal(one.getProtect(), true);
      }
      assert.equal(parent.getParent(), "urn:parent");
      assert.equal(child.getParent(), `urn:pulumi:dev::shop::${component}::waf`);
      const aliases = parent.getAliasesList().map((alias) => alias.getUrn());
      assert.deepEqual(aliases, ["urn:old"]);
      assert.equal(parent.getDeletedwith(), "urn:zone");
      assert.equal(parent.getRetainondelete(), true);
      assert.ok(!child.hasRetainondelete(), "the engine applies it to the child");
      assert.deepEqual(child.getIgnorechangesList(), ["timeoutMinutes"]);
      assert.equal(child.getProvider(), "urn:provider::id");
    } finally {
      engine.stop();
    }
  });

  it("given an `allowForget` of a wrong type, then the migration is protected, and its child gets the value, which its check refuses", () => {
    const { childInputs, isProtected } = wafMigration;
    for (const allowForget of ["true", 1]) {
      assert.ok(isProtected({ allowForget }, false));
      assert.deepEqual(childInputs({ zoneId, allowForget }), { zoneId, allowForget });
    }
    assert.deepEqual(childInputs({ zoneId, allowForget: false }), { zoneId });
  });
});

function call<Response>(
  ask: (done: (error: Error | null, response: Response) => void) => unknown,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    ask((error, response) => (error ? reject(error) : resolve(response)));
  });
}
