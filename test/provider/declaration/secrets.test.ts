import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { CspPolicy, CspPolicySet } from "../../../provider/src";
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

  it("are distinguished by the entries of a set: what is secret in one hides nothing of the others", async () => {
    const { description: _, zoneId, ...rule } = policy;
    const weak = "script-src https://hush.example.com 'unsafe-inline'; object-src 'none'; base-uri 'self'";
    const plain = { ...rule, value: weak.replace("hush", "open") };
    const [set, whole] = await recordedRegistrations(() => {
      new CspPolicySet("set", {
        zoneId,
        policies: {
          hidden: { ...rule, value: pulumi.secret(weak) },
          late: pulumi.secret({ ...rule, value: weak }),
          "a.b": { ...rule, directives: { "script-src": [pulumi.secret("'self'")] } },
          plain,
        },
      });
      new CspPolicySet("whole", { zoneId, policies: pulumi.secret({ plain }) });
    });
    assert.deepEqual(set?.inputs["__secrets"], [
      ["policies", "hidden", "value"],
      ["policies", "late"],
      ["policies", "a.b", "directives"],
    ]);
    assert.deepEqual(whole?.inputs["__secrets"], ["policies"]);
    const told = said().join("\n");
    assert.match(told, /policies\.plain\.value: 'unsafe-inline' lets/);
    assert.match(told, /policies\.hidden\.value: .* secret /);
    assert.match(told, /policies\.late\.value: .* secret /);
    assert.doesNotMatch(told, /hush/);
    assert.equal(told.match(/policies\.plain\.value: .*'unsafe-inline'/g)?.length, 1);
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
    assert.match(told, /value: .* secret .*; csp-lint-[\w-]+ has found /);
    assert.doesNotMatch(told, /hush|'unsafe-inline'/);
  });

  it("are warned of also where something beside them is not known in a preview", async () => {
    const value = "x-our-own 'self'";
    const notYet = pulumi.output(pulumi.unknown).apply(String);
    const before = said().length;
    await recordedRegistrations(() => {
      new CspPolicy("beside", { ...policy, expression: notYet, value: pulumi.secret(value) });
      new CspPolicySet("entries", {
        zoneId: policy.zoneId,
        policies: {
          unseen: { action: "log", expression: notYet, value: notYet },
          hidden: { action: "log", expression: "true", value: pulumi.secret(value) },
          late: { action: "log", expression: notYet, value: Promise.resolve(value) },
        },
      });
    });
    const told = said().slice(before).join("\n");
    assert.match(told, /(?<![\w.])value: .* secret .*; csp-lint-unknown-directive/);
    assert.match(told, /policies\.hidden\.value: .* secret /);
    assert.match(told, /policies\.late\.value: x-our-own /);
    assert.doesNotMatch(told, /policies\.unseen/);
  });

  it("hide nothing of the sources beside them: what is wrong there is reported once, in the preview and when all is known", async () => {
    for (const secret of [pulumi.secret("https://hush.example.com"), pulumi.secret("'hush")]) {
      const before = said().length;
      await recordedRegistrations(() => {
        const directives = { "script-src": ["'self'", secret], "imge-src": ["*"], "base-uri": ["'self'"] };
        new CspPolicy("partly", { ...policy, directives });
      });
      const told = said().slice(before);
      assert.equal(
        told.filter((text) => /imge-src is not a directive/.test(text)).length,
        1,
        told.join("\n"),
      );
      assert.doesNotMatch(told.join("\n"), /hush|has found something in it.*unknown-directive/);
      const isWrong = told.some((text) => / secret .*; csp-lint-\S+ has found/.test(text));
      assert.equal(isWrong, told.length > 1, told.join("\n"));
    }
  });
});
