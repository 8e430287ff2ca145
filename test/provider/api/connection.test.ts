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

const byArgs = (args: object) => resolveConnection(args, { PAGE_GUARD_API_TOKEN: "t" }, nothing);

describe("resolveConnection", () => {
  const config = (key: string) =>
    ({ apiToken: "cfg", baseUrl: "https://cfg.example/v4", service: "page_shield" })[key];
  const listed = "https://arg.example/v4,https://cfg.example/v4";
  const allowed = { ...env, PAGE_GUARD_BASE_URLS: listed, OTHER: "other-token" };

  it("prefers an argument to the environment, and the environment to the stack config, for each field", () => {
    for (const [args, variables, ...expected] of [
      [
        { baseUrl: "https://arg.example/v4", tokenEnv: "OTHER" },
        allowed,
        "arg",
        "other-token",
        "page_shield",
      ],
      [undefined, { ...allowed, PAGE_GUARD_SERVICE: "page_guard" }, "env", "env-token", "page_guard"],
      [{}, {}, "cfg", "cfg", "page_shield"],
      [{ service: "page_guard" }, { PAGE_GUARD_API_TOKEN: "t" }, "cfg", "t", "page_guard"],
    ] as const) {
      const { baseUrl, token, service } = resolveConnection(args, variables, config);
      assert.deepEqual([/\/\/(\w+)\.example\/v4$/.exec(baseUrl)?.[1], token, service], expected);
    }
    assert.equal(resolveConnection(undefined, env, nothing).service, "page_guard", "the default");
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
      assert.throws(() => resolveConnection({ tokenEnv }, env, nothing), /No API token is set/);
  });

  it("refuses a tokenEnv that is not a variable name, and does not quote it, because it may be the token", () => {
    const pasted = ["v1.0-abcdef", "with space", "", "a".repeat(20) + "0".repeat(20), "9lives"];
    for (const tokenEnv of pasted) {
      const { code, message } = refusalOf(() => resolveConnection({ tokenEnv }, env, nothing));
      assert.equal(code, "PG_CONNECTION_INVALID");
      assert.ok(tokenEnv === "" || !message.includes(tokenEnv), message);
    }
  });

  it("names the variable and the config key to set if there is no token or no base URL, which has no default", () => {
    const { PAGE_GUARD_API_TOKEN, PAGE_GUARD_BASE_URL } = env;
    for (const [rest, expected] of [
      [{ PAGE_GUARD_BASE_URL }, /^token: .*PAGE_GUARD_API_TOKEN.*config set --secret page-guard:apiToken/s],
      [{ PAGE_GUARD_API_TOKEN }, /PAGE_GUARD_BASE_URL.*pulumi config set page-guard:baseUrl/s],
    ] as const) {
      const { code, message } = refusalOf(() => resolveConnection({}, rest, nothing));
      assert.equal(code, "PG_CONNECTION");
      assert.match(message, expected);
    }
  });

  const fine: [string, string][] = [
    ["https://api.example.com/client/v4", "https://api.example.com/client/v4"],
    ["  https://api.example.com/v4//  ", "https://api.example.com/v4"],
    ["HTTPS://API.example.com:8443/v4", "https://api.example.com:8443/v4"],
    ["http://localhost:1234/client/v4", "http://localhost:1234/client/v4"],
    ["http://127.8.9.10/v4", "http://127.8.9.10/v4"],
    ["http://[::1]:99/v4", "http://[::1]:99/v4"],
  ];
  for (const [given, expected] of fine)
    it(`accepts ${JSON.stringify(given)}`, () => assert.equal(byArgs({ baseUrl: given }).baseUrl, expected));

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
      const { code, message } = refusalOf(() => byArgs({ baseUrl: given }));
      assert.equal(code, "PG_CONNECTION_INVALID");
      assert.match(message, pattern);
      assert.match(message, /connection\.baseUrl/);
      assert.doesNotMatch(message, /pass@/);
    });
  }

  it("refuses a base URL that the environment does not list, if it lists any", () => {
    const there = { baseUrl: "https://there.example/v4" };
    const byConfig = (key: string) => (key === "baseUrl" ? there.baseUrl : undefined);
    const { PAGE_GUARD_BASE_URL } = env;
    const PAGE_GUARD_BASE_URLS = "https://api.example.com/v4, https://env.example/v4";
    for (const [urls, code = "base-url-not-allowed"] of [
      [{ PAGE_GUARD_BASE_URL }],
      [{ PAGE_GUARD_BASE_URLS }],
      [{ PAGE_GUARD_BASE_URLS: "env.example" }, "PG_CONNECTION_INVALID"],
    ] as const)
      for (const [args, stack] of [
        [there, nothing],
        [{}, byConfig],
      ] as const) {
        const refusal = refusalOf(() =>
          resolveConnection(args, { PAGE_GUARD_API_TOKEN: "t", ...urls }, stack),
        );
        assert.equal(refusal.code, code);
      }
    const args = { baseUrl: "https://ENV.example:443/v4/" };
    assert.equal(resolveConnection(args, env, nothing).baseUrl, env.PAGE_GUARD_BASE_URL);
  });

  it("refuses an unknown service", () => {
    const odd = { ...env, PAGE_GUARD_SERVICE: "shield" };
    const { code } = refusalOf(() => resolveConnection(undefined, odd, nothing));
    assert.equal(code, "PG_CONNECTION_INVALID");
  });

  it("trims a token, and refuses a token that cannot be a header without showing it", async () => {
    const resolve = (token: string) =>
      resolveConnection(undefined, { ...env, PAGE_GUARD_API_TOKEN: token }, nothing).token;
    assert.equal(resolve(" abc\n"), "abc");
    await check(
      fc.property(fc.string({ unit: "binary", minLength: 8 }), (text) => {
        // The prefix keeps the token from being a word that messages contain, such as "property".
        const token = `~${text}`;
        const refusal = refusalOf(() => resolve(`${token}\u0007x`));
        assert.equal(refusal.code, "PG_CONNECTION_INVALID");
        assert.ok(!inspect(refusal).includes(token));
      }),
    );
  });
});
