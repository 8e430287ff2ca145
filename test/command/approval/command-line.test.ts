import assert from "node:assert/strict";
import { isSelective, pulumiPreview, pulumiUp } from "../../../command/src/pulumi/command-line";
import { useReviewing } from "../support/reviewing";

const previewOf = (given: string) => pulumiPreview(["pulumi", ...given.split(" ")]).preview.join(" ");
const upOf = (given: string) => pulumiUp(["pulumi", ...given.split(" ")]);

describe("The pulumi command line that a user gives", () => {
  const review = useReviewing();

  it("runs a preview that does not see variables that confirm an update", async () => {
    const names = ["PULUMI_SKIP_CONFIRMATIONS", "PULUMI_OPTION_YES", "PULUMI_OPTION_SKIP_PREVIEW"];
    const script = 'fs.writeFileSync("seen-" + process.argv[2], JSON.stringify(process.env));';
    const { PATH } = review.pulumi(script);
    const confirming = Object.fromEntries(names.map((name) => [name, "1"]));
    await review.run([], { PATH, PULUMI_HOME: "/x", ...confirming });
    const seen = JSON.parse(review.read("seen-preview"));
    assert.equal(seen["PULUMI_HOME"], "/x");
    for (const name of names) assert.equal(seen[name], undefined, name);
  });

  it("is passed on unchanged, after the operation and our own flags", () => {
    const own = "pulumi preview --json --non-interactive";
    assert.equal(previewOf("--stack up preview"), `${own} --stack up`);
    assert.equal(previewOf("-C up -s preview pre"), `${own} -C up -s preview`);
    assert.equal(previewOf("preview -rsdev -c a=b --of-tomorrow x"), `${own} -rsdev -c a=b --of-tomorrow x`);
    assert.equal(pulumiPreview([]).preview.join(" "), own);
    // The operation is always the first argument.
    assert.equal(previewOf("--color preview destroy --yes"), `${own} --color destroy --yes`);
  });

  it("becomes an update without a confirmation, after a preview without the flags that only an update accepts", () => {
    const given =
      "-C infra up -y -yf --refresh --stack=prod --continue-on-error --strict=true --diff --target a";
    const { up, preview, config, selected, stack } = upOf(given);
    const flags = "-C infra --refresh --stack=prod --target a";
    assert.equal(preview.join(" "), `pulumi preview --json --non-interactive ${flags}`);
    assert.match(up.join(" "), /^pulumi up --yes --skip-preview --non-interactive -C infra -y /);
    const shown = "--json --show-secrets --non-interactive";
    assert.equal(config.join(" "), `pulumi config --cwd infra --stack prod ${shown}`);
    assert.match(selected.join(" "), /^pulumi stack --cwd infra --stack prod --show-name/);
    assert.equal(stack, "prod");
  });

  it("selects some of the resources if it has a flag for that, in any spelling, or if a variable does", () => {
    for (const given of ["--target a", "--target=a", "-t a", "-rt a", "--exclude a", "--target-replace a"])
      assert.ok(isSelective(given.split(" "), {}), given);
    for (const given of ["--stack a", "-s t", "-sstaging", "-rstest", "-mtext", "-ca=t", "--refresh", "-C t"])
      assert.ok(!isSelective(given.split(" "), {}), given);
    assert.ok(isSelective([], { PULUMI_OPTION_TARGET: "a" }));
    assert.ok(!isSelective([], { PULUMI_OPTION_TARGET: "" }));
  });

  it("is refused if it is another program or operation, or has a forbidden flag", () => {
    for (const given of ["", "down --yes", "--stack preview down", "-s preview"])
      assert.throws(() => previewOf(given), /A review runs only `pulumi preview`/, given);
    assert.throws(() => pulumiPreview(["rm", "preview"]), /A review runs only `pulumi preview`/);
    assert.throws(() => pulumiUp(["npx", "pulumi", "up"]), /Give the update to run/);
    for (const flag of ["--plan=x", "--plan x", "--remote=true", "--show-secrets", "-- x", "--event-log x"])
      assert.throws(() => upOf(`up ${flag}`), new RegExp(`Leave out ${flag.split(/[ =]/)[0]}: `));
  });
});
