import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Simulator } from "../../../simulator/src";
import { type Place, runPulumi } from "../real-engine/engine";
import { zoneA } from "../real-engine/story";
import { requireModulesOfEngine } from "./language-program";

const root = resolve(__dirname, "../../..");

/** Creates a project for zone A with the commands of the template's README, and applies it. Returns its folder. */
export async function playTemplate(
  language: "typescript" | "yaml" | "python" | "go",
  { folder, ...place }: Place,
  env: NodeJS.ProcessEnv,
  sim: Pick<Simulator, "zone">,
): Promise<string> {
  const isPlugin = language !== "typescript";
  const isGenerated = language === "python" || language === "go";
  const template = join(folder, "template");
  cpSync(join(root, "templates", language), template, { recursive: true });
  if ("GOFLAGS" in env) requireModulesOfEngine(template);
  const project = join(folder, `new-${language}`);
  mkdirSync(project);

  const readme = readFileSync(join(template, "README.md"), "utf8");
  const installed = `npm install pulumi-page-guard${isPlugin ? " @pulumi/pulumi" : ""}`;
  const lines = `${installed}\npulumi new --force node_modules/pulumi-page-guard/templates/${language}\n`;
  const [, written = ""] = /^(printf .*> zones\.yaml)$/m.exec(readme) ?? [];
  const last = isPlugin ? "npm install\n" : "";
  assert.ok(readme.includes(`\`\`\`sh\n${lines}${written}\n${last}\`\`\`\n`));
  const [, copied = ""] = /```sh\n(.+?)```/s.exec(readme) ?? [];
  assert.deepEqual(copied.match(/^(npm|pulumi) \S+( \S+)*/gm), [
    ...["npm install", ...(isGenerated ? ["pulumi install"] : []), "pulumi stack init dev"],
    "pulumi config set zoneId <32 hexadecimal characters>",
    ...["pulumi up", "pulumi preview --expect-no-changes"],
  ]);
  // The link replaces `npm install`, which needs a registry. In TypeScript `pulumi new` would run it, too.
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  const answers = ["--yes", "--name", "shop-guard", "--stack", "new", "--config", `zoneId=${zoneA}`];
  const make = ["new", template, "--force", ...answers, ...(isPlugin ? [] : ["--generate-only"])];
  const begun = [
    ["stack", "init", "new"],
    ["config", "set", "zoneId", zoneA],
  ];
  for (const args of [
    make,
    ...(isPlugin ? [] : begun),
    ["up", "--yes", "--skip-preview"],
    ["preview", "--expect-no-changes"],
  ]) {
    const ended = await runPulumi({ folder, ...place, project }, args, env).ended;
    assert.equal(ended.code, 0, `pulumi ${args.join(" ")}:\n${ended.output}`);
  }
  assert.match(readFileSync(join(project, "Pulumi.yaml"), "utf8"), /^name: shop-guard$/m);
  const options = { cwd: project, env: { ...process.env, ...place.env, ...env } };
  await promisify(execFile)("sh", ["-c", written], options);
  assert.equal(readFileSync(join(project, "zones.yaml"), "utf8"), `- id: "${zoneA}"\n  name: shop\n`);
  const { settings, policies } = sim.zone(zoneA);
  const value = "script-src 'self' https://js.payments.example; object-src 'none'";
  assert.deepEqual([settings.enabled, policies.map((policy) => policy.value)], [true, [value]]);
  return project;
}
