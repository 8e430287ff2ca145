import assert from "node:assert/strict";
import { inspect } from "node:util";
import fc from "fast-check";
import { resolveConnection } from "../../../provider/src/api/connection";
import { PageGuardError } from "../../../provider/src/errors/page-guard-error";
import { check } from "../../support/random-runs";

const nothing = () => undefined;
const env = { PAGE_GUARD_API_TOKEN: "env-token", PAGE_GUARD_BASE_URL: "https://env.example/v4" };

function refusalOf(run: () => unknown): PageGuardError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof PageGuardError);
    return error;
  }
  assert.fail("it was accepted");
}

describe("resolveConnection", () => {
  it("prefers an argument to the environment, and the environment to the stack config, for each field", () => {
    const config = (key: string) =>
      ({ apiToken: "cfg", baseUrl: "https://cfg.example/v4", service: "page_shield" })[key];
    const arg = { baseUrl: "https://arg.example/v4", tokenEnv: "OTHER" };
    const allowed = { ...env, PAGE_GUARD_BASE_URLS: "https://arg.example/v4,https://cfg.example/v4" };
    const all = resolveConnection(arg, { ...allowed, OTHER: "other-token" }, config);
    assert.deepEqual(
      [all.baseUrl, all.token, all.service],
      ["https://arg.example/v4", "other-token", "page_shield"],
    );
    const byEnv = resolveConnection(undefined, { ...allowed, PAGE_GUARD_SERVICE: "page_guard" }, config);
    assert.deepEqual(
      [byEnv.baseUrl, byEnv.token, byEnv.service],
      ["https://env.example/v4", "env-token", "page_guard"],
    );
    const byConfig = resolveConnection({}, {}, config);
    assert.deepEqual([byConfig.baseUrl, byConfig.token], ["https://cfg.example/v4", "cfg"]);
    const mixed = resolveConnection({ service: "page_shield" }, { PAGE_GUARD_API_TOKEN: "t" }, config);
    assert.deepEqual(
      [mixed.baseUrl, mixed.token, mixed.service],
      ["https://cfg.example/v4", "t", "page_shield"],
    );
  });

  it("uses page_guard by default", () => {
    assert.equal(resolveConnection(undefined, env, nothing).service, "page_guard");
  });

  it("fails if the variable that tokenEnv names is unset or empty, although there are other tokens", () => {
    for (const empty of [{}, { CI_TOKEN: "  " }]) {
      const { code, message } = refusalOf(() =>
        resolveConnection({ tokenEnv: "CI_TOKEN" }, { ...env, ...empty }, () => "config-token"),
      );
      assert.equal(code, "PG_CONNECTION");
      assert.match(message, /CI_TOKEN .*unset or empty.*Set .* CI_TOKEN\./s);
      assert.doesNotMatch(message, /-token/);
    }
  });

  it("takes no token from a property that an environment inherits", () => {
    for (const tokenEnv of ["constructor", "__proto__"])
      assert.throws(() => resolveConnection({ tokenEnv }, env, () => undefined), /No API token is set/);
  });

  it("refuses a tokenEnv that is not a variable name, and does not quote it, because it may be the token", () => {
    const pasted = ["v1.0-abcdef", "with space", "", "a".repeat(20) + "0".repeat(20), "9lives"];
    for (const tokenEnv of pasted) {
      const { code, message } = refusalOf(() => resolveConnection({ tokenEnv }, env, nothing));
      assert.equal(code, "PG_CONNECTION_INVALID");
      assert.ok(tokenEnv === "" || !message.includes(tokenEnv), message);
    }
  });

  it("names the variable and the config key to set if there is no token", () => {
    const { code, message } = refusalOf(() =>
      resolveConnection({}, { PAGE_GUARD_BASE_URL: env.PAGE_GUARD_BASE_URL }, nothing),
    );
    assert.equal(code, "PG_CONNECTION");
    assert.match(message, /^token: No API token is set/);
    assert.match(message, /PAGE_GUARD_API_TOKEN/);
    assert.match(message, /pulumi config set --secret page-guard:apiToken/);
  });

  it("names the variable and the config key to set if there is no base URL, which has no default", () => {
    const { code, message } = refusalOf(() =>
      resolveConnection(undefined, { PAGE_GUARD_API_TOKEN: "t" }, nothing),
    );
    assert.equal(code, "PG_CONNECTION");
    assert.match(message, /PAGE_GUARD_BASE_URL/);
    assert.match(message, /pulumi config set page-guard:baseUrl/);
  });

  const fine: [string, string][] = [
    ["https://api.example.com/client/v4", "https://api.example.com/client/v4"],
    ["https://api.example.com/v4/", "https://api.example.com/v4"],
    ["  https://api.example.com/v4//  ", "https://api.example.com/v4"],
    ["HTTPS://API.example.com:8443/v4", "https://api.example.com:8443/v4"],
    ["http://localhost:1234/client/v4", "http://localhost:1234/client/v4"],
    ["http://127.0.0.1:1234/v4", "http://127.0.0.1:1234/v4"],
    ["http://127.8.9.10/v4", "http://127.8.9.10/v4"],
    ["http://[::1]:99/v4", "http://[::1]:99/v4"],
  ];
  for (const [given, expected] of fine) {
    it(`accepts ${JSON.stringify(given)}`, () => {
      assert.equal(
        resolveConnection({ baseUrl: given }, { PAGE_GUARD_API_TOKEN: "t" }, nothing).baseUrl,
        expected,
      );
    });
  }

  const wrong: [string, RegExp][] = [
    ["api.example.com/v4", /not a(n https)? URL/],
    ["https://api.example.com/client", /does not end in \/v4.* https:/s],
    ["https://api.example.com/", /\/v4/],
    ["https://api.example.com/v4/zones", /\/v4/],
    ["https://api.example.com/xv4x", /\/v4/],
    ["https://api.example.com/v4?a=b", / has a query.* the \? and/s],
    ["https://api.example.com/v4?", /query/],
    ["https://api.example.com/v4#top", /fragment/],
    ["https://user:pass@api.example.com/v4", /user name or password/],
    ["http://api.example.com/v4", /http to api\.example\.com, .* unencrypted.*Use https/s],
    ["http://localhost.example.com/v4", /unencrypted/],
    ["http://127.0.0.1.example.com/v4", /unencrypted/],
    ["http://10.0.0.1/v4", /unencrypted/],
    ["ftp://localhost/v4", /not an https URL/],
  ];
  for (const [given, pattern] of wrong) {
    it(`refuses ${given}, and names its source`, () => {
      const { code, message } = refusalOf(() =>
        resolveConnection({ baseUrl: given }, { PAGE_GUARD_API_TOKEN: "t" }, nothing),
      );
      assert.equal(code, "PG_CONNECTION_INVALID");
      assert.match(message, pattern);
      assert.match(message, /connection\.baseUrl/);
      assert.doesNotMatch(message, /pass@/);
    });
  }

  it("refuses a base URL that the environment does not list, if it lists any", () => {
    const there = { baseUrl: "https://there.example/v4" };
    const refused = (urls: object, config: (key: string) => string | undefined = nothing, args = {}) =>
      refusalOf(() => resolveConnection(args, { PAGE_GUARD_API_TOKEN: "t", ...urls }, config));
    const listed = { PAGE_GUARD_BASE_URLS: "https://api.example.com/v4, https://env.example/v4" };
    const byConfig = (key: string) => (key === "baseUrl" ? there.baseUrl : undefined);
    const refusals = [
      refused({ PAGE_GUARD_BASE_URL: env.PAGE_GUARD_BASE_URL }, nothing, there),
      refused(listed, nothing, there),
      refused(listed, byConfig),
      refused({ PAGE_GUARD_BASE_URL: env.PAGE_GUARD_BASE_URL }, byConfig),
    ];
    assert.deepEqual(new Set(refusals.map(({ code }) => code)), new Set(["base-url-not-allowed"]));
    assert.equal(
      refused({ PAGE_GUARD_BASE_URLS: "env.example" }, nothing, there).code,
      "PG_CONNECTION_INVALID",
    );
    const args = { baseUrl: "https://ENV.example:443/v4/" };
    assert.equal(resolveConnection(args, env, nothing).baseUrl, env.PAGE_GUARD_BASE_URL);
  });

  it("refuses an unknown service", () => {
    const { code } = refusalOf(() =>
      resolveConnection(undefined, { ...env, PAGE_GUARD_SERVICE: "shield" }, nothing),
    );
    assert.equal(code, "PG_CONNECTION_INVALID");
  });

  it("trims a token, and refuses a token that cannot be a header without showing it", async () => {
    assert.equal(
      resolveConnection(undefined, { ...env, PAGE_GUARD_API_TOKEN: " abc\n" }, nothing).token,
      "abc",
    );
    await check(
      fc.property(fc.string({ unit: "binary", minLength: 8 }), (text) => {
        // The prefix keeps the token from being a word that messages contain, such as "property".
        const token = `~${text}`;
        try {
          const resolved = resolveConnection(
            undefined,
            { ...env, PAGE_GUARD_API_TOKEN: `${token}\u0007x` },
            nothing,
          );
          assert.match(resolved.token, /^[\x21-\x7e]+$/);
        } catch (error) {
          assert.ok(error instanceof PageGuardError);
          assert.equal(error.code, "PG_CONNECTION_INVALID");
          assert.ok(!inspect(error).includes(token));
        }
      }),
    );
  });
});
