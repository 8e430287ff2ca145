import assert from "node:assert/strict";
import { sharedAgent } from "../../../provider/src/api/http/shared-resources";
import { InputError } from "../../../provider/src/errors/page-guard-error";

const remote = "https://api.example/v4";
const of = (env: NodeJS.ProcessEnv, baseUrl = remote) => sharedAgent(env, baseUrl);
const isProxied = (env: NodeJS.ProcessEnv, baseUrl = remote) =>
  of(env, baseUrl).constructor.name === "EnvHttpProxyAgent";

describe("The HTTP agent of the process", () => {
  it("is one and the same for the same surroundings, and another one for others", () => {
    assert.equal(of({}), of({ HTTPS_PROXY: "", NO_PROXY: "" }));
    const env = { HTTPS_PROXY: "http://through.example:3128" };
    assert.equal(of(env), of({ ...env }));
    assert.notEqual(of(env), of({}));
    assert.notEqual(of(env), of({ ...env, NO_PROXY: "a.example" }));
  });

  for (const name of ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"]) {
    for (const proxy of [
      "http://through.example:3128",
      "https://through.example",
      "socks5://through.example:1080",
    ]) {
      it(`goes through a proxy that ${name} names: ${proxy}`, () => {
        assert.equal(isProxied({ [name]: proxy }), true);
      });
    }

    it(`goes past the proxy of ${name} to a service on this machine`, () => {
      for (const baseUrl of ["http://127.0.0.1:8080/v4", "http://localhost:8080/v4", "http://[::1]:1/v4"]) {
        assert.equal(of({ [name]: "http://through.example:3128" }, baseUrl), of({}));
      }
    });

    it(`refuses what is no proxy in ${name}, and does not show it`, () => {
      for (const proxy of ["through.example:3128", "ftp://secret@through.example", "secret", "http://"]) {
        assert.throws(
          () => of({ [name]: proxy }),
          (error) => error instanceof InputError && !error.message.includes("secret"),
          proxy,
        );
      }
      // Nothing goes through it: it may be anything.
      assert.equal(of({ [name]: "secret" }, "http://127.0.0.1:1"), of({}));
    });
  }

  it("takes the name in small letters before the other one", () => {
    assert.throws(() => of({ https_proxy: "no proxy", HTTPS_PROXY: "http://through.example" }), InputError);
    assert.throws(() => of({ http_proxy: "no proxy", HTTP_PROXY: "http://through.example" }), InputError);
  });
});
