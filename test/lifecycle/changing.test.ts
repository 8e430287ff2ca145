import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ApprovedContent,
  approvedText,
  readApproved,
} from "../../provider/src/lifecycle/approval/approved-file";
import { changing } from "../../provider/src/lifecycle/approval/changing";
import { digestKey, secretDigest } from "../../provider/src/lifecycle/approval/keyed-digest";
import { noteSecrets } from "../../provider/src/lifecycle/approval/note-secrets";
import type { ChangeCall } from "../../provider/src/lifecycle/approval/step-compared";
import { checkedResources } from "../../provider/src/lifecycle/checked-resources";
import type { Properties } from "../../provider/src/lifecycle/kind";
import { PartialFailureError } from "../../provider/src/lifecycle/partial-failure-error";
import { createRun } from "../../provider/src/lifecycle/process-run";
import type { Run } from "../../provider/src/lifecycle/run";
import { noSecrets } from "../../provider/src/lifecycle/secret-inputs";
import { zoneA, zoneB } from "../small-engine/zones";
import { emptyContent, step } from "./support/approve";

const salt = "0".repeat(32);
const key = "a key of sixteen characters and more";
const content: ApprovedContent = {
  ...emptyContent(salt),
  zones: [zoneA, zoneB].map((zoneId) => ({ zoneId, parts: [], objects: [] })),
};

let folder = "";
let file = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "page-guard-changing-"));
  file = join(folder, "approved.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("Everything that may change a zone", () => {
  type What = Pick<ChangeCall, "act" | "kind"> & {
    readonly name?: string;
    readonly id?: string;
    readonly inputs?: Properties;
  };

  /** A run that is held to these steps, in zones of which nothing is compared. */
  function heldTo(...steps: ApprovedContent["steps"]) {
    writeFileSync(file, approvedText({ ...content, steps }, undefined));
    const run = createRun({
      env: {
        PAGE_GUARD_APPROVED: file,
        PAGE_GUARD_API_TOKEN: "t",
        PAGE_GUARD_BASE_URL: "https://x.example/v4",
      },
    });
    return async ({ name, inputs = { zoneId: zoneA }, ...what }: What, work = async () => "done") => {
      const urn = name === undefined ? "" : step(what.kind, "", name).urn;
      checkedResources(run).set(step(what.kind, "", "any").urn, { secrets: noSecrets });
      return changing(run, { ...what, urn, inputs, recorded: {} }, work);
    };
  }

  const declared = { zoneId: zoneA };
  const refused = (act: string) => ({
    code: "PG_NOT_APPROVED",
    message: new RegExp(`To ${act} .* is not in what was approved`),
  });

  it("lets each step of the engine do what it ends in, and nothing else", async () => {
    const ends: Readonly<Record<string, readonly ChangeCall["act"][]>> = {
      create: ["create"],
      "create-replacement": ["create"],
      import: [],
      "import-replacement": [],
      replace: ["create", "delete"],
      update: ["update"],
      delete: ["delete"],
      "delete-replaced": ["delete"],
      same: [],
      read: [],
      refresh: [],
    };
    const id = `${zoneA}/1`;
    for (const [op, allowed] of Object.entries(ends)) {
      const may = heldTo(step("CspPolicy", op, "one", declared, { id, recorded: {} }));
      for (const act of ["create", "update", "delete"] as const) {
        const what = { act, kind: "CspPolicy", id, ...(act !== "delete" && { name: "one" }) };
        if (allowed.includes(act)) assert.equal(await may(what), "done", `${op}: ${act}`);
        else await assert.rejects(may(what), refused(act), `${op}: ${act}`);
      }
      await assert.rejects(may({ act: "create", kind: "Policy", name: "one" }), refused("create"));
    }
  });

  it("lets a migration be forgotten that was to be, which asks for no stage", async () => {
    const may = heldTo(
      step("WafMigrationStep", "delete", "waf", {}, { id: `${zoneA}/finished`, recorded: {} }),
    );
    const forget = { act: "delete", kind: "WafMigrationStep" } as const;
    assert.equal(await may({ ...forget, id: `${zoneA}/finished` }), "done");
    await assert.rejects(may({ ...forget, id: `${zoneB}/finished` }), refused("delete"));
  });

  it("tells with a refusal what was done before, each by its name or else its id, and in which zone; of what failed, what was done in part", async () => {
    const may = heldTo(
      step("CspPolicy", "create", "one", declared),
      step("CspPolicy", "update", "two", declared, { id: `${zoneB}/2`, recorded: {} }),
      step("CspPolicy", "update", "three", declared, { id: `${zoneA}/3`, recorded: {} }),
      step("CspPolicy", "delete", "four", {}, { id: `${zoneA}/4`, recorded: {} }),
    );
    const other = { act: "create", kind: "CspPolicy", name: "other" } as const;
    await assert.rejects(may(other), ({ message }: Error) => !message.includes("Done before"));

    await may({ act: "create", kind: "CspPolicy", name: "one" });
    // The zone of an object is that of its id, whatever is declared for it.
    const half = new PartialFailureError(`${zoneB}/2`, {}, new Error("cut off"));
    const two = { act: "update", kind: "CspPolicy", name: "two", id: `${zoneB}/2` } as const;
    await assert.rejects(
      may(two, () => Promise.reject(half)),
      (error) => error === half,
    );
    const whole = new Error("refused");
    const three = { act: "update", kind: "CspPolicy", name: "three", id: `${zoneA}/3` } as const;
    await assert.rejects(
      may(three, () => Promise.reject(whole)),
      (error) => error === whole,
    );
    await may({ act: "delete", kind: "CspPolicy", id: `${zoneA}/4` });
    const done = [
      `CspPolicy one of zone ${zoneA} created`,
      `CspPolicy two of zone ${zoneB} updated in part`,
      `CspPolicy ${zoneA}/4 of zone ${zoneA} deleted`,
    ];
    await assert.rejects(may(other), ({ message }: Error) =>
      message.includes(`Already done in this run: ${done.join("; ")}.`),
    );
  });
});

describe("An approved file that cannot be used", () => {
  const whyNot = (text: string, withKey?: string): string => {
    writeFileSync(file, text);
    try {
      readApproved(file, { key: withKey });
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
    return "";
  };

  it("is told by the first place that is wrong, and blamed on another version only where it is of one", () => {
    const whole = approvedText(content, undefined);
    assert.equal(whyNot(whole), "");
    assert.match(
      whyNot("[]"),
      / is not a valid approval file: the whole is not as `page-guard review --approve` writes it\.$/,
    );
    assert.match(
      whyNot(whole.replace('"zones": [', '"zones": [7, ')),
      / is not a valid approval file: zones\.0 is not as /,
    );
    assert.match(
      whyNot(whole.replace('"version": 2', '"version": "2"')),
      / is not a valid approval file: version is not as /,
    );
    assert.match(whyNot(whole.replace('"version": 2', '"version": 1')), /another version .*\(form 1, this/);
  });

  it("tells a key that is missing from one that is another, and from none that was set", () => {
    const sealed = approvedText(content, key);
    assert.equal(whyNot(sealed, key), "");
    assert.match(whyNot(sealed), / was sealed with a key\. Set PAGE_GUARD_APPROVAL_KEY/);
    assert.match(whyNot(sealed, `${key}!`), /it was cut, edited, or sealed with another key\. Review/);
    const open = approvedText(content, undefined);
    assert.match(whyNot(open, key), / was sealed without the key/);
    assert.match(whyNot(open.replace('"dev"', '"prod"')), /it was cut, edited\. Review and approve again\.$/);
  });
});

describe("Secrets of a preview that is to be approved", () => {
  const run = (env: NodeJS.ProcessEnv): Run => createRun({ env });
  const noted = () => readFileSync(file, "utf8");

  it("are noted as digests by place, with the salt that the review has written and its key", async () => {
    const first = `${JSON.stringify({ salt })}\n`;
    writeFileSync(file, first);
    const inputs = { value: "script-src hush", rules: ["hush"], open: "o" };
    const env = { PAGE_GUARD_APPROVAL_DIGESTS: file, PAGE_GUARD_APPROVAL_KEY: key };
    await noteSecrets(run(env), "urn:a", ["value", "rules"], inputs);
    await noteSecrets(run({ PAGE_GUARD_APPROVAL_DIGESTS: file }), "urn:b", ["value"], inputs);
    const of = async (urn: string, property: "value" | "rules", withKey?: string) => ({
      urn,
      property,
      digest: await secretDigest(digestKey(salt, withKey), `${urn}#${property}`, inputs[property]),
    });
    const lines = [
      await of("urn:a", "value", key),
      await of("urn:a", "rules", key),
      await of("urn:b", "value"),
    ];
    assert.equal(noted(), first + lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    assert.ok(!noted().includes("hush"));
  });

  it("are noted nowhere without a review, and without a secret no file is read", async () => {
    await noteSecrets(run({}), "urn:a", ["value"], { value: "hush" });
    await noteSecrets(run({ PAGE_GUARD_APPROVAL_DIGESTS: file }), "urn:a", [], { value: "open" });
    assert.throws(noted, /ENOENT/);
  });
});
