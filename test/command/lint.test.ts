import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pageGuard, printed, useDesk } from "./support/console";

const unwise = "script-src 'self' 'unsafe-inline' https:; object-src 'none'; base-uri 'none'";
const wise =
  "default-src 'none'; script-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

describe("page-guard lint", () => {
  const open = useDesk();

  it("given a finding of high severity, or of a lower --level, then exits with 2, otherwise with 0", async () => {
    assert.match(await printed(pageGuard(["lint", unwise]), 2), /^1:\d+ {2}high {4}.*\[security-/m);
    assert.equal((await pageGuard(["lint", wise])).code, 0);
    const low = ["lint", "script-src 'self' http://js.example.com", "--level", "info"];
    assert.equal((await pageGuard(low)).code, 2);
  });

  it("given a file or standard input, then gives the line and column of a finding", async () => {
    const { folder, pageGuard } = await open();
    const stdin = "object-src 'none';\nscript-src self\n";
    writeFileSync(join(folder, "policy.txt"), stdin);
    const byFile = await pageGuard(["lint", "--file", "policy.txt"]);
    assert.match(byFile.out, /^2:12 .*\[unquoted-keyword\]$/m);
    assert.equal((await pageGuard(["lint", "-"], { stdin })).out, byFile.out);
  });

  it("given several lines, such as those of the pipe in the help, then checks each as a separate policy", async () => {
    const first = "default-src 'self'; base-uri 'none'; form-action 'self'; object-src 'none'";
    for (const [stdin, code] of [
      [`${first}\nframe-ancestors 'none'\n`, 0],
      [`${first}\r\nupgrade-insecure-requests\r\n`, 0],
      [`${first};\nframe-ancestors 'none';\n`, 0],
      [`default-src 'self';\n  base-uri 'none';\n\tobject-src 'none'\n`, 0],
      [`${first}\nscript-src 'unsafe-inline'\n`, 2],
    ] as const)
      assert.equal((await pageGuard(["lint", "-"], { stdin })).code, code, stdin);
    const { out } = await pageGuard(["lint", "-"], { stdin: `${first}\nframe-ancestors 'none'\n` });
    assert.doesNotMatch(out, /missing-/);
    const bad = await pageGuard(["lint", "-"], { stdin: `${first}\nstyle-src self\n` });
    assert.match(bad.out, /^2:11 {2}high .*\[unquoted-keyword\]$/m);
    assert.match(bad.out, /^1:1 {2}low .*\[missing-frame-ancestors\]$/m);
    assert.equal(bad.out.match(/missing-frame-ancestors/g)?.length, 1);
  });

  it("given --json, --sarif or --junit, then prints that format with the findings of the library", async () => {
    const { code, out } = await pageGuard(["lint", unwise, "--json"]);
    const document: { found: boolean; findings: { severity: string }[] } = JSON.parse(out);
    assert.deepEqual([code, document.found], [2, true]);
    assert.ok(document.findings.some(({ severity }) => severity === "high"));
    const junit = await pageGuard(["lint", unwise, "--junit", "-"]);
    assert.match(junit.out, /<testsuites name="page-guard lint" tests="\d+" failures="[1-9]\d*">/);
    const sarif = JSON.parse((await pageGuard(["lint", unwise, "--sarif", "-"])).out);
    assert.equal(sarif.version, "2.1.0");
    assert.ok(sarif.runs[0].results.some(({ level }: { level: string }) => level === "error"));
  });

  it("given hostile text, then no escape sequence and no workflow command reaches the output", async () => {
    const { out } = await pageGuard(["lint", "script-src \u001b[2K\u202eself\n::stop-commands::x ##[error]"]);
    assert.doesNotMatch(out.trimEnd().replaceAll("\n", " "), /[\p{Cc}\p{Cf}]|##\[/u);
    assert.doesNotMatch(out, /^\s*::/m);
  });
});
