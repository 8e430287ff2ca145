import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import fc from "fast-check";
import { knownFlags, pulumiPreview, pulumiUp } from "../../provider/src/cli/pulumi/command-line";
import { pageGuard } from "./support/console";

const previewOf = (given: string) => pulumiPreview(["pulumi", ...given.split(" ")]).preview.join(" ");
const upOf = (given: string) => pulumiUp(["pulumi", ...given.split(" ")]).up.join(" ");

describe("The environment of a preview", () => {
  it("given variables that confirm an update, then the preview of a review does not see them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "page-guard-preview-"));
    try {
      writeFileSync(join(folder, "pulumi"), `#!/bin/sh\nenv > '${folder}/seen'-"$1"\n`);
      chmodSync(join(folder, "pulumi"), 0o755);
      const confirming = {
        PULUMI_SKIP_CONFIRMATIONS: "1",
        PULUMI_OPTION_YES: "1",
        PULUMI_OPTION_SKIP_PREVIEW: "1",
      };
      const PATH = `${folder}${delimiter}${process.env["PATH"]}`;
      await pageGuard(["review"], { cwd: folder, env: { PATH, PULUMI_HOME: "/x", ...confirming } });
      const seen = readFileSync(join(folder, "seen-preview"), "utf8");
      assert.match(seen, /^PULUMI_HOME=/m);
      for (const name of Object.keys(confirming)) assert.ok(!seen.includes(name), name);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("The pulumi command that was given", () => {
  for (const [given, expected] of [
    ["--stack up preview", "pulumi preview --stack up --json --non-interactive"],
    ["-C up -s preview pre", "pulumi preview -C up -s preview --json --non-interactive"],
    ["-eC up preview", "pulumi preview -e -C up --json --non-interactive"],
    ["-Cup preview", "pulumi preview -Cup --json --non-interactive"],
    ["preview -rsdev -c a=b", "pulumi preview -r -sdev -c a=b --json --non-interactive"],
    ["preview --json=false -j --non-interactive=false", "pulumi preview --json --non-interactive"],
    [
      "preview --refresh --refresh=false",
      "pulumi preview --refresh --refresh=false --json --non-interactive",
    ],
    ["preview --of-tomorrow=x", "pulumi preview --of-tomorrow=x --json --non-interactive"],
    ["preview -m -- --stack dev", "pulumi preview -m -- --stack dev --json --non-interactive"],
  ] as const) {
    it(`given pulumi ${given}, then the preview is ${expected}`, () => {
      assert.equal(previewOf(given), expected);
    });
  }

  it("given no command for a review, then it runs pulumi preview", () => {
    assert.deepEqual(pulumiPreview([]).preview, ["pulumi", "preview", "--json", "--non-interactive"]);
  });

  it("given flags that hold an update back, then they give way to those that run it without a question", () => {
    assert.equal(
      upOf("up --yes=false --skip-preview=false -s up"),
      "pulumi up -s up --yes --skip-preview --non-interactive",
    );
    assert.equal(
      upOf("--stack up up -yfd"),
      "pulumi up --stack up -d --yes --skip-preview --non-interactive",
    );
  });

  for (const [given, message] of [
    ["", /A review runs only `pulumi preview`/],
    ["down --yes", /A review runs only `pulumi preview`/],
    ["--stack preview down", /A review runs only `pulumi preview`/],
    ["-s preview", /A review runs only `pulumi preview`/],
    ["-- preview", /A review runs only `pulumi preview`/],
    ["preview up", /Leave out up/],
    ["preview -- up", /Leave out --: /],
    ["preview --", /only flags/],
    ["preview --stack", /--stack requires a value/],
    ["--of-tomorrow preview down", /does not know the pulumi flag --of-tomorrow.*--flag=value/],
    ["preview -z", /does not know the pulumi flag -z/],
    ["preview -yz", /does not know the pulumi flag -yz/],
    ["preview --=x", /does not know the pulumi flag --=x/],
  ] as const) {
    it(`given pulumi ${given} for a review, then it is refused: ${message.source}`, () => {
      assert.throws(() => previewOf(given), message);
    });
  }

  it("given another program, then it is refused whatever its arguments", () => {
    assert.throws(() => pulumiPreview(["rm", "preview"]), /A review runs only `pulumi preview`/);
    assert.throws(() => pulumiUp(["npx", "pulumi", "up"]), /Give the update to run/);
  });

  it("given an update that brings a plan or runs elsewhere, then it is refused", () => {
    assert.throws(() => upOf("up --plan=x"), /Leave out --plan/);
    assert.throws(() => upOf("up --plan x"), /Leave out --plan/);
    assert.throws(() => upOf("up --remote=true"), /Leave out --remote/);
  });

  it("given any arguments, then nothing but a preview is run, with our flags behind it", () => {
    const names = [...knownFlags].flatMap(([name, { short }]) => [
      `--${name}`,
      `--${name}=x`,
      ...(short ? [`-${short}`, `-${short}x`] : []),
    ]);
    const word = fc.constantFrom("up", "preview", "pre", "down", "destroy", "--", "-", "x", "", "refresh");
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...names), word), { maxLength: 8 }), (args) => {
        let preview: readonly string[];
        try {
          ({ preview } = pulumiPreview(["pulumi", ...args]));
        } catch (error) {
          assert.equal(error instanceof Error && error.name, "UsageError");
          return;
        }
        assert.deepEqual(preview.slice(0, 2), ["pulumi", "preview"]);
        assert.deepEqual(preview.slice(-2), ["--json", "--non-interactive"]);
      }),
    );
  });
});
