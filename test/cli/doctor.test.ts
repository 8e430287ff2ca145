import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { type Desk, useDesk } from "./support/console";

const zoneId = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
const modules = resolve(__dirname, "../../node_modules");

/** The line that begins like this, and has `more`. */
const lineOf = (out: string, start: string, more = ""): string =>
  out.split("\n").find((line) => line.startsWith(start) && line.includes(more)) ?? assert.fail(out);

describe("page-guard doctor", () => {
  const open = useDesk();

  it("given a sound installation, then nothing would stop an up", async () => {
    const desk = await installed(await open());
    const { code, out } = await doctor(desk);
    assert.equal(code, 0, out);
    assert.match(out, /^fine {5}SDK: @pulumi\/pulumi \d/m);
    assert.match(out, /^fine {5}one SDK: /m);
    assert.match(out, /^fine {5}engine: pulumi v9\.9\.9$/m);
    assert.match(out, /^fine {5}token: it reads the settings of shop$/m);
    assert.match(out, /^fine {5}clock: /m);
    assert.match(out, /^fine {5}backend lock: none$/m);
  });

  it("given no engine, no SDK and a wrong token, then each is named with what to do, and it exits with 2", async () => {
    const desk = await open();
    desk.sim.zones.seed(zoneId, {});
    writeFileSync(join(desk.folder, "package.json"), "{}");
    const { code, out } = await doctor(desk, { PATH: "/nowhere", PAGE_GUARD_API_TOKEN: "wrong" });
    assert.equal(code, 2);
    assert.match(out, /^STOPS {4}SDK: .*npm install/m);
    assert.match(out, /^STOPS {4}engine: .*Install the Pulumi CLI/m);
    assert.match(out, /^STOPS {4}token: shop: /m);
  });

  it("given a connection in the config of the selected stack, then that one is tried, as an up would, and the token is not shown", async () => {
    const desk = await installed(await open());
    const { sim } = desk;
    const config = {
      "page-guard:apiToken": { value: sim.token, secret: true },
      "page-guard:baseUrl": { value: sim.url, secret: false },
    };
    const pulumi = `#!/bin/sh\n[ "$1" = config ] && echo '${JSON.stringify(config)}' || echo v9.9.9\n`;
    writeFileSync(join(desk.folder, "bin/pulumi"), pulumi, { mode: 0o755 });
    const { code, out, err } = await doctor(desk, { PAGE_GUARD_API_TOKEN: "", PAGE_GUARD_BASE_URL: "" });
    assert.equal(code, 0, out);
    assert.match(out, /^fine {5}connection: .* token from the stack config page-guard:apiToken$/m);
    assert.match(out, /^fine {5}token: it reads the settings of shop$/m);
    assert.ok(!`${out}${err}`.includes(sim.token));
  });

  it("given a lock that a killed job has left, then its owner and age, and that it is stale", async () => {
    const desk = await installed(await open());
    const folder = join(desk.folder, "backend/.pulumi/locks/organization/infra/dev");
    mkdirSync(folder, { recursive: true });
    // No process has this number: Linux counts to four million at the most.
    const lock = {
      pid: 2 ** 22 + 1,
      username: "ci",
      hostname: hostname(),
      timestamp: new Date(Date.now() - 3 * 86_400_000).toISOString(),
    };
    writeFileSync(join(folder, "x.json"), JSON.stringify(lock));
    const { code, out } = await doctor(desk);
    assert.equal(code, 2);
    const line = lineOf(out, "STOPS    backend lock: ");
    assert.match(
      line,
      / organization\/infra\/dev is locked by ci@.*, process 4194305, for 3 days\. .* stale: run `pulumi cancel/,
    );
  });

  it("given locks of two projects, then those of the folder's own, and in a folder without a project all", async () => {
    const desk = await installed(await open());
    for (const stack of ["organization/infra/dev", "organization/blog/dev", "old"]) {
      const folder = join(desk.folder, "backend/.pulumi/locks", stack);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "x.json"), "{}");
    }
    const locked = async () =>
      [...(await doctor(desk)).out.matchAll(/backend lock: (\S+) is locked/g)].map(([, stack]) => stack);
    const all = ["old", "organization/blog/dev", "organization/infra/dev"];
    assert.deepEqual(await locked(), all);
    writeFileSync(join(desk.folder, "Pulumi.yaml"), "name: infra\nruntime: nodejs\n");
    assert.deepEqual(await locked(), ["old", "organization/infra/dev"]);
    writeFileSync(join(desk.folder, "Pulumi.yaml"), "name: [");
    assert.deepEqual(await locked(), all);
  });

  it("given attributes of a state that a killed run has left empty, then which file is to go", async () => {
    const desk = await installed(await open());
    const folder = join(desk.folder, "backend/.pulumi/stacks/infra");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "dev.json.attrs"), "");
    writeFileSync(join(folder, "packed.json.zst.attrs"), "");
    // Nothing opens a copy.
    writeFileSync(join(folder, "live.json.bak.attrs"), "");
    writeFileSync(join(folder, "live.json.attrs"), '{ "user.content_type": "text/plain; charset=utf-8" }');
    const { code, out } = await doctor(desk);
    assert.equal(code, 2);
    const line = lineOf(out, "STOPS    backend files: ", "dev.json.attrs");
    assert.match(line, /"failed to load checkpoint: EOF"\. .* delete it, /);
    assert.match(out, /STOPS {4}backend files: \S*packed\.json\.zst\.attrs /);
    assert.doesNotMatch(out, /live\.json/);
  });

  it("given dangerous variables, then it warns; given PAGE_GUARD_OFFLINE, then that stops an up", async () => {
    const desk = await installed(await open());
    const warned = await doctor(desk, { PULUMI_SKIP_CHECKPOINTS: "true", NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    assert.equal(warned.code, 0);
    assert.match(warned.out, /^warning {2}variables: PULUMI_SKIP_CHECKPOINTS/m);
    assert.match(warned.out, /^warning {2}variables: NODE_TLS_REJECT_UNAUTHORIZED/m);
    assert.equal((await doctor(desk, { PAGE_GUARD_OFFLINE: "1" })).code, 2);
  });

  it("given a second copy of the SDK, then whose it is", async () => {
    const desk = await installed(await open());
    const copy = join(desk.folder, "node_modules/other-resources/node_modules/@pulumi/pulumi");
    mkdirSync(copy, { recursive: true });
    writeFileSync(join(copy, "package.json"), '{ "version": "3.100.0" }');
    writeFileSync(join(desk.folder, "node_modules/other-resources/package.json"), '{ "version": "1.0.0" }');
    writeFileSync(join(desk.folder, "package.json"), '{ "dependencies": { "other-resources": "1" } }');
    const { code, out } = await doctor(desk);
    assert.equal(code, 2);
    assert.match(out, /STOPS {4}one SDK: other-resources \(3\.100\.0\) has its own copy/);
  });

  it("given a lock that is released during the check, then none", async () => {
    const desk = await installed(await open());
    const folder = join(desk.folder, "backend/.pulumi/locks/organization/infra/dev");
    mkdirSync(folder, { recursive: true });
    // It is listed, and when it is read it is gone.
    symlinkSync(join(folder, "gone"), join(folder, "x.json"));
    const { out } = await doctor(desk);
    assert.match(out, /^fine {5}backend lock: none$/m);
  });

  it("given a bucket with a lock, then it asks as the engine would, shows the lock, and suggests a smaller state", async () => {
    const desk = await installed(await open());
    // Copies what is in the folder `bucket` to where it was told.
    tool(desk, "aws", 'for to; do :; done; echo "$@" > "$0.args"; cp -R bucket "$to"');
    const folder = join(desk.folder, "bucket/organization/infra/dev");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "x.json"), JSON.stringify({ username: "ci", hostname: "runner-7", pid: 1 }));
    const env = {
      PULUMI_BACKEND_URL: "s3://states/shop/?endpoint=minio:9000&disableSSL=true&region=eu-1&profile=ops",
    };
    const { code, out } = await doctor(desk, env);
    assert.equal(code, 2);
    assert.match(
      out,
      /^STOPS {4}backend lock: organization\/infra\/dev is locked by ci@runner-7, process 1\. Wait .*`pulumi cancel/m,
    );
    assert.match(out, /^fine {5}backend size: .*PULUMI_DIY_BACKEND_ZSTD=true/m);
    assert.match(
      readFileSync(join(desk.folder, "bin/aws.args"), "utf8"),
      /^s3 cp --recursive --only-show-errors --endpoint-url=http:\/\/minio:9000 --region=eu-1 --profile=ops s3:\/\/states\/shop\/\.pulumi\/locks\/ \//,
    );
    rmSync(join(desk.folder, "bucket/organization"), { recursive: true });
    const none = await doctor(desk, { ...env, PULUMI_DIY_BACKEND_ZSTD: "true" });
    assert.match(none.out, /^fine {5}backend lock: none$/m);
    assert.doesNotMatch(none.out, /backend size/);
  });

  it("given a database with locks, then each is shown, also one that cannot be read, and the password is on no command line", async () => {
    const desk = await installed(await open());
    const lock = Buffer.from(JSON.stringify({ username: "ci", hostname: "runner-7" })).toString("base64");
    const rows = `states/.pulumi/locks/organization/infra/dev/x.json|${lock}\nstates/.pulumi/locks/organization/infra/qa/y.json|!`;
    tool(desk, "psql", `echo "$@ $PGPASSWORD" > "$0.args"; printf '%b\\n' '${rows}'`);
    const said = join(desk.folder, "bin/psql.args");
    for (const url of [
      "postgres://ci:s%3Acret@db.example:5433/states?sslmode=require&table=ours",
      "postgres://ci@db.example:5433/states?password=s%3Acret&sslmode=require&table=ours",
    ]) {
      const { code, out } = await doctor(desk, { PULUMI_BACKEND_URL: url });
      assert.equal(code, 2);
      assert.match(out, /^STOPS {4}backend lock: organization\/infra\/dev is locked by ci@runner-7\. Wait/m);
      assert.match(out, /^STOPS {4}backend lock: organization\/infra\/qa is locked, .* cannot be read/m);
      assert.match(
        readFileSync(said, "utf8"),
        / from ours where key .* postgres:\/\/ci@db\.example:5433\/states\?sslmode=require s:cret\n$/,
      );
    }
  });

  it("given a backend whose locks cannot be read, then why, and that is no reason to stop", async () => {
    const desk = await installed(await open());
    tool(desk, "aws", "echo 'Unable to locate credentials' >&2; exit 253");
    for (const [url, said] of [
      ["s3://states", /: not checked: `aws` failed to list them: Unable to locate credentials\. /],
      ["postgres://db.example/states", /: not checked: `psql` is not on the PATH\. /],
      ["gs://states", /: not checked: only locks in files, S3 and Postgres are read\. /],
      ["https://api.pulumi.com", /: not checked: only locks in files, S3 and Postgres are read\. /],
    ] as const) {
      const { code, out } = await doctor(desk, { PULUMI_BACKEND_URL: url, PATH: join(desk.folder, "bin") });
      assert.equal(code, 0, out);
      assert.match(out, said);
    }
  });

  it("given a clock that is off, then it says by how much", async () => {
    const desk = await installed(await open());
    const { out } = await desk.pageGuard(args, { env: environment(desk), now: () => Date.now() + 3_600_000 });
    assert.match(out, /^warning {2}clock: it is 60 min ahead of the service\./m);
  });
});

const args = ["doctor", "--zone", zoneId, "--name", `${zoneId}=shop`];

/** A command of the machine's, first on the PATH. */
function tool({ folder }: Desk, name: string, script: string): void {
  writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

function doctor(desk: Desk, env: NodeJS.ProcessEnv = {}) {
  return desk.pageGuard(args, { env: { ...environment(desk), ...env } });
}

function environment({ folder }: Desk): NodeJS.ProcessEnv {
  return {
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    PULUMI_BACKEND_URL: `file://${join(folder, "backend")}`,
  };
}

/** A project with the SDK and this package, and an engine that knows its version. */
async function installed(desk: Desk): Promise<Desk> {
  const { sim, folder } = desk;
  sim.zones.seed(zoneId, {});
  for (const name of ["bin", "backend", "node_modules/@pulumi"])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "bin/pulumi"), "#!/bin/sh\necho v9.9.9\n", { mode: 0o755 });
  writeFileSync(join(folder, "package.json"), '{ "dependencies": { "pulumi-page-guard": "*" } }');
  symlinkSync(join(modules, "@pulumi/pulumi"), join(folder, "node_modules/@pulumi/pulumi"));
  symlinkSync(join(modules, "pulumi-page-guard"), join(folder, "node_modules/pulumi-page-guard"));
  return desk;
}
