import assert from "node:assert/strict";
import { lint } from "../../csp/src";

/**
 * Rule and policy, with marks around each place of a finding, which an editor would underline. The last column has the directive
 * of the finding if it is not the directive at that place.
 */
const PLACES = `
empty-policy | « ; » | 
empty-policy | a_b; img-src 'self'
unknown-directive | img-src *; «scrip-src» 'self'; «a» b
unsupported-directive | img-src *; «style-src-attr» 'self'
unsupported-directive | «sandbox» allow-scripts
duplicate-directive | img-src a; «img-src b c d»
duplicate-directive | img-src a; font-src \u0007
missing-semicolon | img-src a «script-src» b
missing-semicolon | img-src a «IMG-SRC» «worker-src»
missing-semicolon | img-src a-b sandbox
value-not-allowed | img-src *; «upgrade-insecure-requests yes»
value-not-allowed | upgrade-insecure-requests img-src *
none-with-others | img-src a «'NONE'»; font-src 'none'
none-with-others | script-src 'none' 'report-sample'
none-with-others | sandbox 'none' a
empty-source-list | img-src a; «font-src»; sandbox
strict-dynamic | img-src a; script-src 'self' «'STRICT-dynamic'»
strict-dynamic | sandbox 'strict-dynamic'
wrong-quotes | img-src a; script-src «"self"»
unquoted-keyword | img-src a; script-src a «self»
unknown-keyword | img-src a; script-src a «'slef'»
nonce | img-src a; script-src «nonce-AB» «'NONCE-ab'»
hash-format | img-src a; script-src «'sha384-abc'»
frame-ancestors-source | img-src a; frame-ancestors 'self' «a» b
frame-ancestors-source | frame-ancestors b\u0007 «a»
unquoted-keyword | frame-ancestors a «self»
wildcard-in-host | img-src a «a.*.b»
wildcard-in-path | img-src a «a/*»
invalid-source | img-src a «a_b:80»
comma | img-src «a,» b
comma | sandbox «a,b»
control-character | img-src a «b\u0007» «c\u007f»
non-ascii | img-src a «bücher.example»
query-in-source | img-src a «a/b?c» «a/d#e»
dead-unsafe-inline | img-src a; style-src a «'unsafe-inline'» 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
unlisted-keyword | script-src 'self' «'wasm-unsafe-eval'»
script-scheme | img-src blob:; script-src a «blob:»
http-source | img-src a «ws://b» «http:»
ip-source | img-src a «192.0.2.7» 127.0.0.1
duplicate-source | img-src a b 'SELF' «'self'» «a» A/b «a/b»
duplicate-source | img-src a.example «a.example»
covered-source | img-src «a/x» A «https://a/y» b
ftp-source | img-src 'self' «ftp:» «FTP://a»; sandbox ftp:
missing-base-uri | «script-src 'self'» | base-uri
missing-form-action | «img-src a; default-src 'self'» | form-action
missing-form-action | default-src 'self'; «form-action *»
security-wildcard | script-src 'self' «https://*»
security-object-src | img-src 'self'; object-src «a» b c
blocks-inline | img-src a; «script-src 'self'»
`;

describe("lint: the place of a finding", () => {
  for (const line of PLACES.trim().split("\n")) {
    const [ruleId = "", marked = "", about] = line.split(" | ");
    it(`${ruleId} in ${JSON.stringify(marked)}`, () => {
      const policy = marked.replace(/[«»]/g, "");
      const found = lint(policy).filter((finding) => finding.ruleId === ruleId);
      const places = found.flatMap(({ position: { offset, length } }) => [offset, offset + length]);
      assert.deepEqual(places, offsetsOf(marked));
      for (const { directive, position } of found)
        assert.equal(directive ?? "", about ?? nameAt(policy, position.offset));
    });
  }
});

describe("The part of a source that lint cannot read", () => {
  for (const [source, part] of [
    ["a_b", "host (letters, digits, dashes and dots; IPv6 addresses cannot be named)"],
    ["a.example:x", "port (a number, or *)"],
    ["1a://b.example", "scheme before the colon"],
  ] as const)
    it(`given ${source}, then it is the ${part}`, () => {
      const [found] = lint(`img-src ${source}`).filter(({ ruleId }) => ruleId === "invalid-source");
      assert.ok(found?.message.endsWith(`, so browsers ignore it: it has no readable ${part}.`));
    });
});

/** Returns the places of the marks in the text without marks. */
function offsetsOf(marked: string): readonly number[] {
  return [...marked.matchAll(/[«»]/g)].map(({ index }, before) => index - before);
}

/** Returns the directive at an offset. */
function nameAt(policy: string, offset: number): string {
  const [name = ""] = policy
    .slice(policy.lastIndexOf(";", offset) + 1)
    .trim()
    .split(/[\s;]/);
  return name.toLowerCase();
}
