import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { URLS as ANGULAR } from "csp_evaluator/dist/allowlist_bypasses/angular";
import { URLS as JSONP, NEEDS_EVAL } from "csp_evaluator/dist/allowlist_bypasses/jsonp";
import { Csp } from "csp_evaluator/dist/csp";
import { CspEvaluator } from "csp_evaluator/dist/evaluator";
import { Severity, Type } from "csp_evaluator/dist/finding";
import fc from "fast-check";
import { type Finding, lint, parse } from "../../csp/src";
import { callingUrls, gadgetUrls, jsonpUrls } from "../../csp/src/lint/bypass-urls";
import { holds, words } from "./random";

/** Whether a rule reports a bypass, or a host that has attacked visitors: lint then reports no bypass of that host. */
const isBypass = (ruleId: string) => ruleId === "security-bypass" || ruleId === "security-known-bad";
const rulesOf = (text: string) => lint(text).map(({ ruleId }) => ruleId);
const textAt = (text: string, { position }: Finding) =>
  text.slice(position.offset, position.offset + position.length);

describe("security findings of lint", () => {
  /** Sources for each URL that csp_evaluator knows, in each spelling that allows the URL. */
  const known = [...JSONP, ...ANGULAR].map((url) => new URL(`https:${url}`));
  const spellings: readonly (readonly [string, (url: URL) => string])[] = [
    ["host", ({ host }) => host],
    ["https://host", ({ host }) => `https://${host}`],
    ["http://host", ({ host }) => `http://${host}`],
    ["https://host/", ({ host }) => `https://${host}/`],
    ["https://host:443", ({ host }) => `https://${host}:443`],
    ["https://host:*", ({ host }) => `https://${host}:*`],
    ["HTTPS://HOST", ({ host }) => `HTTPS://${host.toUpperCase()}`],
    ["https://*.parent", ({ host }) => `https://*.${host.slice(host.indexOf(".") + 1)}`],
    ["https://host/folder/", ({ host, pathname }) => `https://${host}${folder(pathname)}`],
    ["host/path?query", ({ host, pathname }) => `${host}${pathname}?callback=x`],
  ];
  for (const [spelling, write] of spellings) {
    it(`include each host that is known to bypass policies, as ${spelling}`, () => {
      for (const url of known) {
        const needsEval = NEEDS_EVAL.includes(url.hostname);
        const value = write(url);
        const policy = `script-src 'self' ${value}${needsEval ? " 'unsafe-eval'" : ""}`;
        const found = lint(policy).find(({ ruleId }) => isBypass(ruleId));
        assert.ok(found, `${policy}: found only ${rulesOf(policy).join(", ")}`);
        assert.equal(textAt(policy, found), value);
      }
    });
  }

  it("include the bypasses that csp_evaluator finds, and its advice", () => {
    const hosts = fc.constantFrom(
      ...known.map(({ host }) => host),
      ...words("example.com *.google.com *.com * com"),
    );
    const folders = known.flatMap(({ pathname }) => [pathname, folder(pathname)]);
    const paths = fc.constantFrom("", "/", ...folders);
    const sources = fc.array(
      fc.oneof(
        fc.tuple(hosts, paths).map((parts) => parts.join("")),
        fc.constantFrom("'self'", "'unsafe-eval'", "'unsafe-inline'", "data:", "https:"),
      ),
      { maxLength: 6 },
    );
    holds(
      fc.property(sources, fc.constantFrom("script-src", "default-src"), (values, name) => {
        // If a source has two findings, the evaluator has only one of them.
        // The evaluator also reads a dot in the path as a dot in the host.
        const distinct = [...new Set(values)].filter(
          (value) => !(/^\*./.test(value) && value.includes("/")) && !/^[^./]+\/.*\./.test(value),
        );
        const theirs = new CspEvaluator(new Csp({ [name]: distinct })).evaluate().flatMap((found) => {
          if (found.type !== Type.SCRIPT_ALLOWLIST_BYPASS) return [];
          // All other findings advise to check a host about which nothing is known.
          return found.severity === Severity.HIGH ? [found.value ?? ""] : [];
        });
        const text = [name, ...distinct].join(" ");
        const findings = lint(text);
        const ours = findings.flatMap((found) => (isBypass(found.ruleId) ? [textAt(text, found)] : []));
        // Our list has more hosts.
        assert.deepEqual(
          theirs.filter((one) => !ours.includes(one)),
          [],
        );
      }),
    );
  });

  const bypasses: readonly (readonly [string, readonly string[]])[] = [
    ["https://ajax.googleapis.com AJAX.googleapis.com", ["ajax.googleapis.com", "ajax.googleapis.com"]],
    ["* ajax.googleapis.com", ["ajax.googleapis.com"]],
    ["*.google.com accounts.google.com", ["www.google.com", "accounts.google.com"]],
    ["accounts.google.com *.google.com", ["accounts.google.com", "www.google.com"]],
  ];
  for (const [sources, hosts] of bypasses) {
    it(`name the same known hosts for ${sources} in any order`, () => {
      const found = lint(`script-src ${sources}`).filter(({ ruleId }) => ruleId === "security-bypass");
      assert.deepEqual(
        found.map(({ message }) => message.split(" ")[0]),
        hosts,
      );
    });
  }

  it("include the hosts of both lists", () => {
    const hosts = new Set([
      ...known.map(({ host }) => host),
      ...[...jsonpUrls, ...gadgetUrls, ...callingUrls].map((url) => new URL(`https://${url}`).host),
    ]);
    assert.ok(hosts.size > 150, `${hosts.size} hosts`);
    const silent = [...hosts].filter((host) => {
      const eval_ = NEEDS_EVAL.includes(host) ? " 'unsafe-eval'" : "";
      return !rulesOf(`script-src ${host}${eval_}`).some(isBypass);
    });
    assert.deepEqual(silent, []);
    const page = readFileSync("docs/csp-lint-rules.md", "utf8");
    assert.ok(page.includes(`knows ${hosts.size} hosts`), `${hosts.size} hosts`);
  });

  it("are the same for a source with the scheme of the page and without a scheme", () => {
    const hosts = fc.constantFrom(...known.map(({ host }) => host), "cdn.example.com", "*.example.com", "*");
    holds(
      fc.property(fc.array(hosts, { maxLength: 5 }), fc.constantFrom("", "/", "/x/"), (list, path) => {
        const plain = `script-src ${list.map((host) => host + path).join(" ")}`;
        const full = `script-src ${list.map((host) => `https://${host}${path}`).join(" ")}`;
        const count = parse(plain).directives[0]?.values.length;
        assert.equal(parse(full).directives[0]?.values.length, count);
        assert.deepEqual(rulesOf(full).sort(), rulesOf(plain).sort());
      }),
    );
  });
});

function folder(pathname: string): string {
  return pathname.slice(0, pathname.lastIndexOf("/") + 1);
}
