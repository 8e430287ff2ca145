import assert from "node:assert/strict";
import fc from "fast-check";
import { expressionFault } from "../../provider/src/csp/expression/expression-fault";
import { holds, hostileText } from "./random";

describe("What is surely wrong in a filter expression", () => {
  const faults: readonly [string, string][] = [
    ["http.host = x", "= at character 11 is not a comparison: write eq or =="],
    ['ssl and (http.host = "x")', "= at character 20 is not a comparison: write eq or =="],
    ['lower(http.host) = "x"', "= at character 18 is not a comparison: write eq or =="],
    ['http.request.headers["a"][0] = "x"', "= at character 30 is not a comparison: write eq or =="],
    ['http.host eq "x', "the quote at character 14 is never closed"],
    ['http.host eq x"', "the quote at character 15 is never closed"],
    ['http.host eq "x\\"', "the quote at character 14 is never closed"],
    ['http.host eq r#"x"', "the quote at character 14 is never closed"],
    ['(http.host eq "x"', "the ( at character 1 is never closed"],
    ['http.host in {"x" "y"', "the { at character 14 is never closed"],
    ['http.host === "x"', "= at character 13 is not a comparison: write eq or =="],
    [
      'any(http.request.headers["a"][*] eq "x") = true',
      "= at character 42 is not a comparison: write eq or ==",
    ],
    [
      'http.host in {"x", "y"}',
      "the , at character 18 separates no arguments: separate the values of a list by spaces",
    ],
    [
      'ssl, http.host eq "x"',
      "the , at character 4 separates no arguments: separate the values of a list by spaces",
    ],
    ['http.host in ("x" "y")', "the ( at character 14 is where a value belongs: write a list in { }"],
    ["(http.host eq ) or ssl", "the ) at character 15 is where a value belongs"],
    ["(http.host eq x and ) or ssl", "the ) at character 21 is where a test belongs"],
    ["http.host eq && ssl", "the && at character 14 is where a value belongs"],
    ["http.host <> x", "the > at character 12 is where a value belongs"],
    ["(or http.host eq x)", "the or at character 2 is where a test belongs"],
    ['http.host eq "x" and AND ssl', "the AND at character 22 is where a test belongs"],
    ['ends_with(http.host, "x",)', "the ) at character 26 is where a test belongs"],
    [
      'any(http.request.headers["a"[*] eq "x")',
      "the ) at character 39 comes before the [ at character 25 is closed",
    ],
    ['(http.host eq "x"))', "the ) at character 19 closes nothing"],
    ['http.host in {"x")', "the ) at character 18 comes before the { at character 14 is closed"],
    ["http.host eq 'x'", "the quotes at character 14 are single: write text in double quotes"],
    ["http.host in {x 'y z'}", "the quotes at character 17 are single: write text in double quotes"],
    ["ends_with(http.host, 'x')", "the quotes at character 22 are single: write text in double quotes"],
    [
      "any(http.request.headers['a'][*] eq x)",
      "the quotes at character 26 are single: write text in double quotes",
    ],
    ["http.host eq", "it ends after eq, where a value belongs"],
    ["http.host strict wildcard", "it ends after wildcard, where a value belongs"],
    ['http.host eq "x" and', "it ends after and, where a test belongs"],
    ["not", "it ends after not, where a test belongs"],
  ];
  for (const [expression, reason] of faults) {
    it(`is told of ${expression}`, () => {
      const fault = expressionFault(expression);
      assert.equal(fault?.reason, reason);
    });
  }

  const sound = [
    "",
    "true",
    "ssl",
    "not ssl",
    "!ssl and !(http.host eq x)",
    "http.host eq myapp.example.com",
    'http.host == "x" && http.request.uri.path ~ "^/a(b|c)\\\\.\\"$"',
    'http.host in {"a" "b"} or ip.src in {10.0.0.0/8 2001:db8::/32 192.0.2.1..192.0.2.9}',
    "ip.src in $office_network",
    "tcp.dstport in {80 443 8000..8999}",
    'any(http.request.headers["x"][*] == "a=b")',
    'any(lower(http.request.uri.args.values[*])[*] contains "x")',
    'http.host strict wildcard r"*.x" xor http.host wildcard r#"a"b"#',
    "len(http.request.uri) > 5 ^^ cf.threat_score ge 10",
    'starts_with(http.request.uri.path, "/checkout") and not cf.edge.server_port in {80 443}',
    'lookup_json_string(http.request.body.raw, "a", 0) eq "("',
    "http.request.uri.query eq a=b",
    "ip.geoip.country eq or",
    "cf.tags bitwise_and 4",
    'concat("a", http.host) eq "ab"',
    'a.new_field new_operator "x"',
    'http.host eq "\'" or http.host in {"\'"}',
    'ssl and http.user_agent matches "<[^"]+>" and http.cookie ~ "[\\]"]x"',
    "ip.src in {} or new_function()",
    "new_function([1 2 3], {4 5}) eq 1",
    "ip.src.region_code in {CA OR}",
    "http.request.uri.query eq dGVzdA==",
    'http.request.uri.path contains "[" and ssl',
    'new_function(http.host eq "x", not ssl, !ssl)',
  ];
  for (const expression of sound) {
    it(`is nothing in ${expression || "an empty one"}`, () => {
      assert.equal(expressionFault(expression), undefined);
    });
  }

  it("is found in any text, at a place of it", () => {
    holds(
      fc.property(hostileText, (text) => {
        const fault = expressionFault(text);
        if (fault) assert.ok(fault.at >= 0 && fault.at < text.length);
      }),
    );
  });
});
