import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pulumiPreview, pulumiUp } from "../../../command/src/pulumi/command-line";
import { pageGuard } from "../support/console";

const previewOf = (given: string) => pulumiPreview(["pulumi", ...given.split(" ")]).preview.join(" ");
const upOf = (given: string) => pulumiUp(["pulumi", ...given.split(" ")]);

describe("The pulumi command that was given", () => {
  it("given variables that confirm an update, then the preview of a review does not see them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "page-guard-preview-"));
    try {
      writeFileSync(join(folder, "pulumi"), `#!/bin/sh\nenv > '${folder}/seen'-"$1"\n`);
      chmodSync(join(folder, "pulumi"), 0o755);
      const names = ["PULUMI_SKIP_CONFIRMATIONS", "PULUMI_OPTION_YES", "PULUMI_OPTION_SKIP_PREVIEW"];
      const PATH = `${folder}${delimiter}${process.env["PATH"]}`;
      const confirming = Object.fromEntries(names.map((name) => [name, "1"]));
      await pageGuard(["review"], { cwd: folder, env: { PATH, PULUMI_HOME: "/x", ...confirming } });
      const seen = readFileSync(join(folder, "seen-preview"), "utf8");
      assert.match(seen, /^PULUMI_HOME=/m);
      for (const name of names) assert.ok(!seen.includes(name), name);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("is passed on as it is, behind the operation and our own flags", () => {
    const own = "pulumi preview --json --non-interactive";
    assert.equal(previewOf("--stack up preview"), `${own} --stack up`);
    assert.equal(previewOf("-C up -s preview pre"), `${own} -C up -s preview`);
    assert.equal(previewOf("preview -rsdev -c a=b --of-tomorrow x"), `${own} -rsdev -c a=b --of-tomorrow x`);
    assert.equal(pulumiPreview([]).preview.join(" "), own);
    // Whatever follows, the operation is the first argument.
    assert.equal(previewOf("--color preview destroy --yes"), `${own} --color destroy --yes`);
  });

  it("is an update without a question, and before it a preview without the flags that only an update knows", () => {
    const { up, preview, config, selected, stack } = upOf(
      "-C infra up -y -yf --refresh --stack=prod --continue-on-error --strict=true --diff --target a",
    );
    const flags = "-C infra --refresh --stack=prod --target a";
    assert.equal(preview.join(" "), `pulumi preview --json --non-interactive ${flags}`);
    assert.match(up.join(" "), /^pulumi up --yes --skip-preview --non-interactive -C infra -y /);
    assert.equal(
      config.join(" "),
      "pulumi config --stack prod --cwd infra --json --show-secrets --non-interactive",
    );
    assert.match(selected.join(" "), /^pulumi stack --stack prod --cwd infra --show-name/);
    assert.equal(stack, "prod");
  });

  it("is refused where it is another program or operation, or has a flag that it must not have", () => {
    for (const given of ["", "down --yes", "--stack preview down", "-s preview"])
      assert.throws(() => previewOf(given), /A review runs only `pulumi preview`/, given);
    assert.throws(() => pulumiPreview(["rm", "preview"]), /A review runs only `pulumi preview`/);
    assert.throws(() => pulumiUp(["npx", "pulumi", "up"]), /Give the update to run/);
    for (const flag of ["--plan=x", "--plan x", "--remote=true", "--show-secrets", "-- x", "--event-log x"])
      assert.throws(() => upOf(`up ${flag}`), new RegExp(`Leave out ${flag.split(/[ =]/)[0]}: `));
  });
});
