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

/** Replaces a function by the result of `wrap`. Returns a function that restores it. */
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

/** Defects by their effects, each in a function on which a promise depends. `npm run mutation` plants faults in single lines. */
const defects: Readonly<Record<string, () => () => void>> = {
  "every request is sent again": () =>
    plant(
      retryable,
      "isRetryable",
      (usual) =>
        (request, ...rest) =>
          usual({ ...request, method: "GET", repeat: "freely" }, ...rest),
    ),
  "every failed request counts as not carried out": () =>
    plant(
      acted,
      "mayHaveActed",
      () =>
        (error): error is Error =>
          error === undefined,
    ),
  "the token is shown if the service repeats it": () => {
    const undo = [
      plant(tokens, "removeToken", () => (answer) => answer),
      plant(tokens, "redact", () => (text) => text),
    ];
    return () => {
      for (const each of undo) each();
    };
  },
  "unmanaged rules are not kept": () =>
    plant(ruleMatch, "matchRules", (usual) => (...asked) => ({ ...usual(...asked), foreign: [] })),
  "adopted rules are not restored": () => plant(ownership, "withTaken", () => (initial) => initial),
  "a changed policy does not count as a change": () =>
    plant(declaredPolicy, "findChangedPolicyFields", () => () => []),
  "a policy that was moved is deleted": () => plant(Ownership.prototype, "startDeleting", () => () => true),
  "a renamed resource is undone by its old name": () => plant(claims, "hasSuccessor", () => () => false),
  "the settings that were found first are recorded wrongly": () =>
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

describe("The proof, given a planted defect", function () {
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
