import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Desk, printed, useDesk, zoneId } from "./support/console";
import { stateText } from "./support/state-file";

const modules = resolve(__dirname, "../../node_modules");

describe("page-guard doctor", () => {
  const open = useDesk();

  it("given a correct installation, then nothing would stop an update", async () => {
    const desk = await install(await open());
    const out = await printed(doctor(desk), 0);
    assert.match(
      out.replaceAll("\n", " "),
      /fine {5}SDK: @pulumi\/pulumi \d.* fine {5}one SDK: .* fine {5}engine: pulumi v9\.9\.9 .* fine {5}token: it can read the settings of shop fine {5}clock: /,
    );
  });

  it("given no engine, no SDK and a wrong token, then each is named with what to do, and it exits with 2", async () => {
    const desk = await open();
    desk.sim.zones.seed(zoneId, {});
    writeFileSync(join(desk.folder, "package.json"), "{}");
    const out = await printed(doctor(desk, { PATH: "/nowhere", PAGE_GUARD_API_TOKEN: "wrong" }), 2);
    assert.match(out, /^STOPS {4}SDK: .*npm install/m);
    assert.match(out, /^STOPS {4}engine: .*Install the Pulumi CLI/m);
    assert.match(out, /^STOPS {4}token: shop: /m);
  });

  it("given a connection in the config of the selected stack, then it is tested, and the token is not shown", async () => {
    const desk = await open();
    const { sim } = desk;
    const secret = { value: sim.token, secret: true };
    const config = { "page-guard:apiToken": secret, "page-guard:baseUrl": { value: sim.url, secret: false } };
    await install(desk, `[ "$1" = config ] && echo '${JSON.stringify(config)}' || echo v9.9.9`);
    const { code, out, err } = await doctor(desk, { PAGE_GUARD_API_TOKEN: "", PAGE_GUARD_BASE_URL: "" });
    assert.equal(code, 0, out);
    assert.match(out, /^fine {5}connection: .* token from the stack config page-guard:apiToken$/m);
    assert.match(out, /^fine {5}token: it can read the settings of shop$/m);
    assert.ok(!`${out}${err}`.includes(sim.token));
  });

  it("given a stack, then reading each of its zones is tested with the program's connection; a missing stack would stop an update, an empty one would not", async () => {
    const pulumi = '[ "$1" = version ] && echo v9.9.9 && exit\n[ "$3" = --stack=shop ] && cat state.json';
    const desk = await install(await open(), pulumi);
    const inputs = { zoneId, connection: { tokenEnv: "SHOP_TOKEN" } };
    const state = new Map([["watch", { id: zoneId, inputs, outputs: {}, hasInitErrors: false }]]);
    writeFileSync(join(desk.folder, "state.json"), stateText([{ kind: "PageGuardSettings", state }]));
    const env = { PAGE_GUARD_API_TOKEN: "wrong", SHOP_TOKEN: desk.sim.token };
    const { out } = await doctor(desk, env, undefined, ["doctor", "--stack", "shop"]);
    assert.match(out, /^fine {5}stack: 1 zone in .*\nfine {5}token: .*\nfine {5}clock: same/m);
    const elsewhere = ["doctor", "--stack", "shop", "--zone", "d".repeat(32)];
    const notRead = await doctor(desk, env, undefined, elsewhere);
    assert.match(
      notRead.out,
      /^fine {5}stack: 0 zones in .*\nSTOPS {4}token: d{32}: Failed to get the settings/m,
    );
    desk.sim.faults.add({ kind: "status", status: 403, path: "/policies" });
    const ofSettings = await doctor(desk, env, undefined, ["doctor", "--stack", "shop"]);
    assert.equal(ofSettings.code, 0, "the stack declares no policy");
    writeFileSync(join(desk.folder, "state.json"), stateText([{ kind: "CspPolicySet", state }]));
    const ofPolicies = await doctor(desk, env, undefined, ["doctor", "--stack", "shop"]);
    assert.match(ofPolicies.out, /^STOPS {4}token: \w+: Failed to list the policies[\s\S]*\n\nSomething/m);
    const other = await doctor(desk, env, undefined, ["doctor", "--stack", "other"]);
    assert.match(other.out, /^STOPS {4}stack: .*other.*\n\nSomething/m);
    writeFileSync(join(desk.folder, "state.json"), stateText([]));
    const empty = await doctor(desk, env, undefined, ["doctor", "--stack", "shop"]);
    assert.match(empty.out, /^fine {5}stack: 0 zones .*\nskipped {2}token: .*\n\nNothing/m);
  });

  it("given dangerous variables and a wrong clock, then it warns; PAGE_GUARD_OFFLINE would stop an update", async () => {
    const desk = await install(await open());
    const risky = { PULUMI_SKIP_CHECKPOINTS: "true", NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const warned = await doctor(desk, risky, () => Date.now() + 3_600_000);
    assert.equal(warned.code, 0);
    assert.match(warned.out, /^warning {2}variables: PULUMI_SKIP_CHECKPOINTS/m);
    assert.match(warned.out, /^warning {2}variables: NODE_TLS_REJECT_UNAUTHORIZED/m);
    assert.match(warned.out, /^warning {2}clock: it is 60 min ahead of the service\./m);
    assert.equal((await doctor(desk, { PAGE_GUARD_OFFLINE: "1" })).code, 2);
  });

  it("given a second copy of the SDK, then it names the package that installed it", async () => {
    const desk = await install(await open());
    const copy = join(desk.folder, "node_modules/other-resources/node_modules/@pulumi/pulumi");
    mkdirSync(copy, { recursive: true });
    writeFileSync(join(copy, "package.json"), '{ "version": "3.100.0" }');
    writeFileSync(join(desk.folder, "node_modules/other-resources/package.json"), '{ "version": "1.0.0" }');
    writeFileSync(join(desk.folder, "package.json"), '{ "dependencies": { "other-resources": "1" } }');
    assert.match(await printed(doctor(desk), 2), /STOPS {4}one SDK: other-resources has its own copy/);
  });
});

const named = ["doctor", "--zone", zoneId, "--name", `${zoneId}=shop`];

function doctor(desk: Desk, env: NodeJS.ProcessEnv = {}, now = Date.now, args = named) {
  const PATH = `${join(desk.folder, "bin")}:${process.env["PATH"]}`;
  return desk.pageGuard(args, { env: { PATH, ...env }, now });
}

/** Creates a project with the SDK and this package, and an engine that prints its version. */
async function install(desk: Desk, pulumi = "echo v9.9.9"): Promise<Desk> {
  const { sim, folder } = desk;
  sim.zones.seed(zoneId, {});
  for (const name of ["bin", "node_modules/@pulumi"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "bin/pulumi"), `#!/bin/sh\n${pulumi}\n`, { mode: 0o755 });
  writeFileSync(join(folder, "package.json"), '{ "dependencies": { "pulumi-page-guard": "*" } }');
  symlinkSync(join(modules, "@pulumi/pulumi"), join(folder, "node_modules/@pulumi/pulumi"));
  symlinkSync(join(modules, "pulumi-page-guard"), join(folder, "node_modules/pulumi-page-guard"));
  return desk;
}
