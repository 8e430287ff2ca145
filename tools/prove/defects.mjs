/**
 * Defects that somebody could make, each as an edit of the sources: what is planted in a copy of them to see whether the
 * proof finds it. `find` stands in `file` (below provider/src) just once.
 */
const entry = "resources/managed-waf-entrypoint";
const policy = "resources/csp-policy";
const set = "resources/csp-policy-set";
const settings = "resources/page-guard-settings";
const migration = "resources/waf-migration";

const edit = (file, find, instead) => ({ file: `${file}.ts`, find, instead });

export const defects = [
  {
    name: "the entry point's PUT is sent again blindly",
    edits: [
      edit(
        "api/wire/waf-operations",
        'send({ operation, zoneId, method: "PUT", path, body, repeat: "never" })',
        'send({ operation, zoneId, method: "PUT", path, body, repeat: "freely" })',
      ),
    ],
  },
  {
    name: "after an unclear write the list is not looked at again",
    edits: [
      edit(
        `${entry}/lifecycle`,
        "live = await client.getEntrypoint(zoneId).catch(() => {",
        "await Promise.resolve(live).catch(() => {",
      ),
    ],
  },
  {
    name: "a write of the entry point that may have happened is not recorded",
    edits: [
      edit(
        `${entry}/lifecycle`,
        "if (!(error instanceof Error) || (looks < 2 && !mayHaveActed(error))) throw error;",
        "if (looks > 0 || !(error instanceof Error)) throw error;",
      ),
    ],
  },
  {
    name: "an update of a policy that may have happened is not recorded",
    edits: [
      edit(
        `${policy}/lifecycle`,
        "if (mayHaveActed(error)) throw new PartialFailure(id, state, error);",
        "void mayHaveActed;\nvoid PartialFailure;",
      ),
    ],
  },
  {
    name: "a write of the settings that may have happened is not recorded",
    edits: [
      edit(
        `${settings}/lifecycle`,
        "if (mayHaveActed(error)) throw new PartialFailure(zoneId, { ...before, ...state }, error);",
        "",
      ),
    ],
  },
  {
    name: "what a set did before it failed is not recorded",
    edits: [edit(`${set}/sync`, "throw new PartialFailure(zoneId, after, failure);", "throw failure;")],
  },
  {
    name: "whatever failed counts as not done",
    edits: [edit("lifecycle/may-have-acted", 'return error.outcome === "unknown";', "return false;")],
  },
  {
    name: "a refresh forgets that an update was cut off",
    edits: [
      edit("lifecycle/dynamic-provider", '...(props["incomplete"] === true && { incomplete: true }),', ""),
    ],
  },
  {
    name: "a policy whose update was cut off is taken for what its record says",
    edits: [
      edit(
        `${policy}/lifecycle`,
        "state.incomplete !== true && changedFields(state, inputs).length === 0",
        "changedFields(state, inputs).length === 0",
      ),
    ],
  },
  {
    name: "a set that was cut off trusts its record",
    edits: [edit(`${set}/sync`, "live: state.incomplete === true ? list : undefined,", "live: undefined,")],
  },
  {
    name: "a POST is sent again",
    edits: [edit("api/http/is-retryable", 'if (repeat !== "freely" || method === "POST") return false;', "")],
  },
  {
    name: "after an unclear create nobody looks: it failed",
    edits: [edit("policies/ensure-policy", "if (!mayHaveActed(error)) throw error;", "throw error;")],
  },
  {
    name: "an equal policy of nobody is made a second time",
    edits: [edit("policies/ensure-policy", "if (found) {", "if (found && wanted === undefined) {")],
  },
  {
    name: "a policy that another resource owns is taken over",
    edits: [
      edit(
        "policies/policy-claims",
        "return claim === undefined;",
        'return claim === undefined || claim.is === "held";',
      ),
    ],
  },
  {
    name: "a policy that makes room for its successor is taken over by it",
    edits: [edit("policies/policy-claims", "return claim === undefined;", 'return claim?.is !== "held";')],
  },
  {
    name: "a policy that was handed over is deleted",
    edits: [edit(`${policy}/lifecycle`, "if (!zone.claims.mayDelete(policyOf(id))) return;", "")],
  },
  {
    name: "a policy stays behind when its zone changes",
    edits: [edit(`${policy}/lifecycle`, 'replacedBy: ["zoneId"],', "replacedBy: [],")],
  },
  {
    name: "switching a policy on or off is no change",
    edits: [
      edit(
        "policies/equal-policy",
        'if ((recorded["enabled"] ?? true) !== (declared["enabled"] ?? true)) changed.push("enabled");',
        "",
      ),
    ],
  },
  {
    name: "a policy that somebody has deleted fails the refresh",
    edits: [
      edit(
        "policies/live-policy",
        "if (error instanceof NotFoundError) return undefined;",
        "void NotFoundError;",
      ),
    ],
  },
  {
    name: "a key whose deletion failed is forgotten",
    edits: [
      edit(
        `${set}/recorded`,
        "if (old && !outcome.removed.has(policyId)",
        "if (old && outcome.removed.has(policyId)",
      ),
    ],
  },
  {
    name: "a list of policies that cannot be read is nobody's failure",
    edits: [
      edit(
        "policies/zone-policies",
        "list.catch(() => {\n        this.snapshot = undefined;\n      });",
        "void list.then(() => undefined);",
      ),
    ],
  },
  {
    name: "rules of others are not kept",
    edits: [edit(`${entry}/rule-list`, 'inputs.foreignRules === "keep" ? match.foreign : []', "[]")],
  },
  {
    name: "rules of others are not refused",
    edits: [
      edit(
        `${entry}/findings`,
        'if (foreignRules === "refuse" && match.foreign.length > 0) {',
        "if (match.foreign.length < 0) {",
      ),
    ],
  },
  {
    name: "rules of others are put into another order",
    edits: [
      edit(
        `${entry}/rule-list`,
        "return [...kept, ...declared];",
        "return [...kept.reverse(), ...declared];",
      ),
    ],
  },
  {
    name: "a rule that is edited becomes another one",
    edits: [
      edit(
        `${entry}/rule-list`,
        "...(live.id !== undefined && { id: live.id }),\n    ...(live.ref !== undefined && { ref: live.ref }),",
        "",
      ),
    ],
  },
  {
    name: "what an entry point found is what its last update found",
    edits: [
      edit(
        `${entry}/lifecycle`,
        "let initial = before.initial ?? asFound(found);",
        "let initial = asFound(found);",
      ),
    ],
  },
  {
    name: "rules that were taken over are not put back",
    edits: [
      edit(
        `${entry}/ownership`,
        "return { ...initial, rules, taken: [...taken] };",
        "return { ...initial, rules };",
      ),
    ],
  },
  {
    name: "overwritten rules are not put back",
    edits: [edit(`${entry}/ownership`, "...(isOverwriting ? match.foreign : [])", "")],
  },
  {
    name: "a rule whose answer was lost is somebody else's",
    edits: [
      edit(
        `${entry}/ownership`,
        "if (record.id !== undefined && !areIdsRenewed) continue;",
        "if (areIdsRenewed || !areIdsRenewed) continue;",
      ),
    ],
  },
  {
    name: "an entry point under a new name is undone by the old one",
    edits: [
      edit(
        `${entry}/lifecycle`,
        "const isSucceeded = hasSuccessor(run, name, id);",
        "const isSucceeded = false;\nvoid hasSuccessor;",
      ),
    ],
  },
  {
    name: "switches that were never declared are restored",
    edits: [
      edit(
        `${settings}/lifecycle`,
        ".filter((input) => state[input] !== undefined && initial[input] !== undefined)",
        ".filter((input) => initial[input] !== undefined)",
      ),
    ],
  },
  {
    name: "switches that are not declared are switched off",
    edits: [
      edit(
        `${settings}/lifecycle`,
        "switches.filter((input) => inputs[input] !== undefined).map((input) => [input, inputs[input]]),\n  );\n}\n\n/** A switch",
        "switches.map((input) => [input, inputs[input] ?? false]),\n  );\n}\n\n/** A switch",
      ),
    ],
  },
  {
    name: "what settings found is what their last update found",
    edits: [
      edit(
        `${settings}/lifecycle`,
        "const initial = state.initial ?? initialOf(found);",
        "const initial = initialOf(found);",
      ),
    ],
  },
  {
    name: "settings under a new name are undone by the old ones",
    edits: [
      edit(
        `${settings}/lifecycle`,
        'if (onDestroy === "keep" || hasSuccessor(run, name, id)) return;',
        'if (onDestroy === "keep") return;\nvoid hasSuccessor;',
      ),
    ],
  },
  {
    name: "the token is repeated where the service repeats it",
    edits: [
      edit("api/http/attempt", "withoutToken(result.answer, connection.token)", "result.answer"),
      edit("api/http/redact", "blackedOut(line, token)", "line"),
    ],
  },
  {
    name: "the migration is sent again",
    edits: [
      edit(
        "api/wire/waf-operations",
        '// Irreversible: sent at most once.\n        repeat: "never",',
        'repeat: "freely",',
      ),
    ],
  },
  {
    name: "a validation is sent as a finish",
    edits: [
      edit(
        `${migration}/decision`,
        'mode: stage === "finished" ? "pending" : "validation"',
        'mode: stage === "finished" ? "pending" : "pending"',
      ),
    ],
  },
  {
    name: "a migration is forgotten without being asked to",
    edits: [edit(`${migration}/lifecycle`, "if (state.allowForget === true) return;", "return;")],
  },
  {
    name: "an attempt of which nobody knows is taken for untouched",
    edits: [
      edit(
        `${migration}/decision`,
        'if (known === "accepted") return "taken";',
        'if (known !== "accepted") return "not taken";',
      ),
    ],
  },
  {
    name: "a migration undoes what people did to its rules",
    edits: [edit(`${migration}/lost-edits`, "if (isStatedAnew || isAsBefore) return;", "return;")],
  },
  {
    name: "what was sent to a migration is not recorded",
    edits: [
      edit(
        `${migration}/advance`,
        "throw new PartialFailure(zoneId, unsure, unknownOutcome(zoneId, mode, error));",
        "throw unknownOutcome(zoneId, mode, error);\nvoid PartialFailure;",
      ),
    ],
  },
  {
    name: "a policy that is gone already can't be deleted",
    edits: [
      edit(
        "api/wire/page-guard-operations",
        "if (!(error instanceof NotFoundError && isGone(error))) throw error;",
        "throw error;",
      ),
    ],
  },
  {
    name: "after an unclear create the list of before is asked",
    edits: [edit("policies/ensure-policy", "zone.forget();\n", "")],
  },
  {
    name: "a policy that is to stay is deleted",
    edits: [edit(`${policy}/lifecycle`, 'if (state.onDestroy === "keep") return;', "")],
  },
  {
    name: "a set that is to leave its policies deletes them",
    edits: [
      edit(
        `${set}/lifecycle`,
        'state.onDestroy === "keep" ? [] : Object.values(state.policyIds ?? {})',
        "Object.values(state.policyIds ?? {})",
      ),
    ],
  },
  {
    name: "a set forgets a policy that moves before the other resource has it",
    edits: [edit(`${set}/sync`, "? [] : [[policyId, beside.digestsOf(takers)]]", "? [] : []")],
  },
  {
    name: "a policy that moved and that nobody has adopted stays",
    edits: [edit(`${set}/released`, "due[policyId] = labels;", "waiting[policyId] = labels;")],
  },
  {
    name: "a set deletes a policy that moved while the other resource may have it",
    edits: [
      edit(
        `${set}/released`,
        "const open = Object.keys(labels).filter((label) => beside.mayHave(label));",
        "const open = Object.keys(labels).filter(() => beside === undefined);",
      ),
    ],
  },
  {
    name: "a policy that moves away is not handed over",
    edits: [
      edit(
        `${set}/plan-in-zone`,
        "handedOver(leaving, list, beside, claims)",
        "handedOver([], list, beside, claims)",
      ),
    ],
  },
  {
    name: "a policy that moves to another resource counts as renamed",
    edits: [edit(`${set}/plan`, "=== undefined && !isWanted(policyId)", "=== undefined")],
  },
  {
    name: "what was released for a resource that has got another policy stays",
    edits: [
      edit(
        "policies/left-behind",
        "if (!claims.leaveTo(policyId, (taker) => taker !== label && !hasOwn(taker))) continue;",
        "if (claims !== undefined) continue;",
      ),
    ],
  },
  {
    name: "a key of a set that was only renamed is made anew",
    edits: [
      edit(
        `${set}/plan`,
        "missing: plan.missing.filter(({ key }) => !found.has(key)),",
        "missing: plan.missing,",
      ),
    ],
  },
  {
    name: "restoring a second time puts everything back a second time",
    edits: [
      edit(
        `${entry}/restore`,
        'const gone = rules.filter((record) => !there.has(record) && taken.has(record.id ?? ""));',
        'const gone = rules.filter((record) => there.has(record) && taken.has(record.id ?? ""));',
      ),
    ],
  },
  {
    name: "an equal rule of somebody else passes for the stack's",
    edits: [
      edit(
        `${entry}/ownership`,
        "live.filter(({ id }) => id === undefined || !others.has(id));",
        "live.filter(() => others !== undefined);",
      ),
    ],
  },
  {
    name: "what was somebody else's at the first look is taken over at the second",
    edits: [
      edit(
        `${entry}/lifecycle`,
        "seen = look(inputs, stillOwn(own, live), live, strangers);",
        "seen = look(inputs, stillOwn(own, live), live);\nvoid strangers;",
      ),
    ],
  },
  {
    name: "a short answer passes for the whole list",
    edits: [
      edit(
        "api/wire/waf-operations",
        "if (echoed.success && echoed.data.rules.length === list.rules.length) return echoed.data;",
        "if (echoed.success) return echoed.data;",
      ),
    ],
  },
  {
    name: "a switch that is let go keeps its value",
    edits: [
      edit(
        `${settings}/lifecycle`,
        ".map((input) => [input, initial[input]]),\n  );\n}\n\n/** Only",
        ".map((input) => [input, state[input]]),\n  );\n}\n\n/** Only",
      ),
    ],
  },
];
