import assert from "node:assert/strict";
import { unknownValue } from "../../provider/src/lifecycle/unknown";
import {
  environmentOf,
  givenSettings,
  isDefaultProvider,
  recordedInputs,
} from "../../provider/src/plugin/provider-inputs";
import { markedLike, plainValues, secret, secretPlaces } from "../../provider/src/plugin/wire";

describe("Values between the engine and the lifecycles", () => {
  it("lose their marks, at any depth", () => {
    const values = { a: secret({ b: [secret("c")] }), d: secret(secret(1)), e: null, f: { g: true } };
    assert.deepEqual(plainValues(values), { a: { b: ["c"] }, d: 1, e: null, f: { g: true } });
  });

  it("are unknown in one way, of whatever type they will be", () => {
    const number = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";
    const list = secret("6a19a0b0-7e62-4c92-b797-7f8e31da9cc2");
    assert.deepEqual(plainValues({ number, list }), { number: unknownValue, list: unknownValue });
  });

  it("are marked again where they came from", () => {
    const like = { a: secret("x"), b: { c: secret("x"), d: "x" }, e: ["x", secret("x")], f: "x" };
    assert.deepEqual(markedLike({ a: "y", b: { c: "y", d: "y", g: "y" }, e: ["y"], f: "y", h: "y" }, like), {
      a: secret("y"),
      b: { c: secret("y"), d: "y", g: "y" },
      e: secret(["y"]),
      f: "y",
      h: "y",
    });
    assert.deepEqual(markedLike({ b: "other form" }, like), { b: secret("other form") });
  });

  it("say where they are secret, by the entries of an input that holds many", () => {
    const policies = { open: { value: "v" }, closed: { value: secret("v") }, whole: secret({ value: "v" }) };
    assert.deepEqual(secretPlaces({ zoneId: "z", name: secret("n"), policies }, "policies"), [
      "name",
      ["policies", "closed", "value"],
      ["policies", "whole"],
    ]);
    assert.deepEqual(secretPlaces({ policies }, undefined), ["policies"]);
    assert.deepEqual(secretPlaces({ policies: secret(policies) }, "policies"), ["policies"]);
  });
});

describe("Arguments of the provider", () => {
  it("keep a token as a secret only", () => {
    assert.deepEqual(recordedInputs({ apiToken: "t", baseUrl: "u" }), {
      apiToken: secret("t"),
      baseUrl: "u",
    });
    assert.deepEqual(recordedInputs({ apiToken: secret("t") }), { apiToken: secret("t") });
    assert.deepEqual(recordedInputs({ baseUrl: "u" }), { baseUrl: "u" });
  });

  it("count where they say something", () => {
    assert.deepEqual(givenSettings({ apiToken: secret("t"), baseUrl: " ", other: "x" }), { apiToken: "t" });
    assert.deepEqual(environmentOf({ apiToken: "t" }), { PAGE_GUARD_API_TOKEN: "t" });
  });

  it("are the config of the stack for the provider that the engine makes", () => {
    const urn = (name: string) => `urn:pulumi:dev::story::pulumi:providers:page-guard::${name}`;
    for (const name of ["default", "default_0_1_0", "default_0_1_0_alpha"])
      assert.ok(isDefaultProvider(urn(name)));
    for (const name of ["other", "default-eu", "our::default"])
      assert.ok(!isDefaultProvider(urn(name)), name);
  });
});
