import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { CspPolicy } from "../../provider/src/index";
import { zoneA } from "../small-engine/zones";
import { keepConsole } from "./support/kept-console";
import { recordedRegistrations } from "./support/registrations";

const policy = { zoneId: zoneA, description: "", action: "log", expression: "true" } as const;

describe("Secret inputs of a program", () => {
  const { said } = keepConsole();

  it("are named to `check`, however deep the secret is; what is plain or only late is not", async () => {
    const registrations = await recordedRegistrations(() => {
      const late = pulumi.output("script-src 'self'");
      new CspPolicy("plain", { ...policy, value: "script-src 'self'" });
      new CspPolicy("late", { ...policy, value: late });
      new CspPolicy("secret", { ...policy, expression: pulumi.secret("true"), value: late });
      const sources = Promise.resolve([pulumi.secret("'self'")]);
      new CspPolicy("deep", { ...policy, directives: { "script-src": sources } });
    });
    assert.deepEqual(
      registrations.map(({ name, inputs }) => [name, inputs["__secrets"]]),
      [
        ["deep", ["directives"]],
        ["late", []],
        ["plain", undefined],
        ["secret", ["expression"]],
      ],
    );
  });

  it("are warned of by place and rule, late plain ones by their text", async () => {
    const value = "script-src https://hush.example.com 'unsafe-inline'; object-src 'none'; base-uri 'self'";
    await recordedRegistrations(() => {
      new CspPolicy("late", { ...policy, value: pulumi.output(value) });
    });
    assert.match(said().join("\n"), /value: .*'unsafe-inline'/);
    const before = said().length;
    await recordedRegistrations(() => {
      new CspPolicy("secret", { ...policy, value: pulumi.secret(value) });
    });
    const told = said().slice(before).join("\n");
    assert.match(
      told,
      /value: this value is secret and not shown; csp-lint-[\w-]+ has found something in it/,
    );
    assert.doesNotMatch(told, /hush|'unsafe-inline'/);
  });
});
