import assert from "node:assert/strict";
import * as retryable from "../../provider/src/api/http/attempt";
import * as tokens from "../../provider/src/api/http/without-token";
import * as acted from "../../provider/src/lifecycle/partial-failure-error";
import * as claims from "../../provider/src/lifecycle/zone-claims";
import * as declaredPolicy from "../../provider/src/model/policies/declared-policy";
import * as ruleMatch from "../../provider/src/model/waf-rules/rule-match";
import { Ownership } from "../../provider/src/resources/csp-policy/ownership";
import * as ownership from "../../provider/src/resources/managed-waf-entrypoint/ownership";
import * as toDeclaration from "../../provider/src/resources/page-guard-settings/to-declaration";
import * as decision from "../../provider/src/resources/waf-migration/decision-table";
import { prove } from "./prove";
import { play } from "./world/play";
import { scenarioAbout } from "./world/scenario";

/** Puts what `wrap` makes of a function in its place; returns what takes it away again. */
function plant<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  wrap: (usual: Owner[Name]) => Owner[Name],
): () => void {
  const usual = owner[name];
  owner[name] = wrap(usual);
  return () => {
    owner[name] = usual;
  };
}

/** Defects by what they do, each in a function of which a promise hangs. Faults in single lines are for `npm run mutation`. */
const defects: Readonly<Record<string, () => () => void>> = {
  "every request is sent again": () =>
    plant(
      retryable,
      "isRetryable",
      (usual) =>
        (request, ...rest) =>
          usual({ ...request, method: "GET", repeat: "freely" }, ...rest),
    ),
  "whatever failed counts as not done": () =>
    plant(
      acted,
      "mayHaveActed",
      () =>
        (error): error is Error =>
          error === undefined,
    ),
  "the token is repeated where the service repeats it": () => {
    const undo = [
      plant(tokens, "withoutToken", () => (answer) => answer),
      plant(tokens, "redact", () => (text) => text),
    ];
    return () => {
      for (const each of undo) each();
    };
  },
  "rules of others are not kept": () =>
    plant(ruleMatch, "matchRules", (usual) => (...asked) => ({ ...usual(...asked), foreign: [] })),
  "rules that were adopted are not put back": () => plant(ownership, "withTaken", () => (initial) => initial),
  "a changed policy is no change": () => plant(declaredPolicy, "changedPolicyFields", () => () => []),
  "a policy that was moved is deleted": () => plant(Ownership.prototype, "startDeleting", () => () => true),
  "what is there under a new name is undone by the old one": () =>
    plant(claims, "hasSuccessor", () => () => false),
  "what settings found first is recorded wrongly": () =>
    plant(toDeclaration, "settingsDeclaration", (usual) => (found) => ({
      ...usual(found),
      enabled: !found.enabled,
    })),
  "a validation is sent as a finish": () =>
    plant(
      decision,
      "decide",
      (usual) =>
        (_stage, ...more) =>
          usual("finished", ...more),
    ),
};

describe("The proof, of sources with a defect", function () {
  this.timeout(0);

  for (const [name, plantIt] of Object.entries(defects)) {
    it(`finds that ${name}`, async () => {
      const undo = plantIt();
      try {
        await assert.rejects(
          prove({
            scenario: scenarioAbout(process.env["ABOUT"]),
            play: (story) => play(story),
            runs: Number(process.env["RUNS"] ?? 250),
            seed: Number(process.env["SEED"] ?? 5),
            isShrunk: false,
          }),
          ({ message }: Error) => {
            const [fell = ""] = /Property failed after \d+ tests/.exec(message) ?? [];
            console.log(`      ${fell}`);
            return fell !== "";
          },
        );
      } finally {
        undo();
      }
    });
  }
});
