import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pageGuard, printed, useDesk, zoneId } from "./support/console";

const version = String(JSON.parse(readFileSync("provider/package.json", "utf8")).version);

describe("page-guard", () => {
  const open = useDesk();

  it("prints its version, and its help with the exit codes", async () => {
    assert.deepEqual(await pageGuard(["--version"]), { code: 0, out: `${version}\n`, err: "" });
    const help = await pageGuard(["--help"]);
    assert.equal(help.code, 0);
    assert.match(help.out, /0 fine; 1 failed; 2 found something/);
  });

  it("given invalid flags and arguments, then the error ends with PG_USAGE; other failures have another code", async () => {
    const { pageGuard: run } = await open();
    const refused = `exprot; lint --jsno x; lint; lint x --json --sarif -; suggest --zone ${zoneId} --token-env not-a-name;
      suggest --zone ${zoneId} --status actve; drift --service shield; comment; issue --title t;
      simulator --port many; simulator --port 65536`;
    for (const args of refused.split(/;\s+/))
      assert.match(
        await printed(run(args.split(" ")), 1),
        /^[^[]+ \[PG_USAGE\]\n(\(page-guard .*--help shows the options\)\n)?$/,
        args,
      );
    for (const args of [["exprot"], ["lint", "--jsno", "x"]])
      assert.match((await run(args)).err, /unknown (command|option).*--help shows the options/s);
    for (const args of ["lint --file no-such-file", "drift --state no-such-file"])
      assert.match((await run(args.split(" "))).err, / \[PG_COMMAND\]\n$/, args);
    const unset = await run(["suggest", "--zone", zoneId, "--token-env", "NO_SUCH_TOKEN"]);
    assert.match(unset.err, /Export it\. \[PG_CONNECTION\]\n$/);
    const none = await pageGuard(["suggest", "--zone", zoneId]);
    assert.match(none.err, /PAGE_GUARD_API_TOKEN[\s\S]*\[PG_CONNECTION\]/);
  });

  it("given flags, then they take precedence over the environment; a pasted token is not shown", async () => {
    const { sim, pageGuard: run } = await open();
    sim.zones.seed(zoneId, { scripts: 1, connections: 0 });
    const PAGE_GUARD_BASE_URL = "https://nowhere.example/v4";
    const env = { PAGE_GUARD_BASE_URL, PAGE_GUARD_API_TOKEN: "wrong", SHOP_TOKEN: sim.token };
    const given = ["--base-url", sim.url, "--token-env", "SHOP_TOKEN"];
    const byFlags = await run(["suggest", "--zone", zoneId, ...given], { env });
    assert.equal(byFlags.code, 0, byFlags.err);
    const pasted = await run(["suggest", "--zone", zoneId, "--token-env", "v1.0-0123456789abcdef"]);
    assert.equal(pasted.code, 1);
    assert.ok(!`${pasted.out}${pasted.err}`.includes("0123456789abcdef"), pasted.err);
  });
});
