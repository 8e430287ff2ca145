import assert from "node:assert/strict";
import fc from "fast-check";
import { expressionFault } from "../../csp/src/expression/expression-fault";
import { holds, hostileText } from "./random";

describe("What is surely wrong in a filter expression", () => {
  /** With its offset, and what the reason says of the place. */
  const faults: readonly [string, number, string][] = [
    ["http.host = x", 10, "= at character 11"],
    ['ssl and (http.host = "x")', 19, "= at character 20"],
    ['lower(http.host) = "x"', 17, "= at character 18"],
    ['http.request.headers["a"][0] = "x"', 29, "= at character 30"],
    ['http.host eq "x', 13, "quote at character 14"],
    ['http.host eq x"', 14, "quote at character 15"],
    ['http.host eq "x\\"', 13, "quote at character 14"],
    ['http.host eq r#"x"', 13, "quote at character 14"],
    ['(http.host eq "x"', 0, "( at character 1"],
    ['http.host in {"x" "y"', 13, "{ at character 14"],
    ['http.host === "x"', 12, "= at character 13"],
    ['any(http.request.headers["a"][*] eq "x") = true', 41, "= at character 42"],
    ['http.host in {"x", "y"}', 17, ", at character 18"],
    ['ssl, http.host eq "x"', 3, ", at character 4"],
    ['http.host in ("x" "y")', 13, "( at character 14"],
    ["(http.host eq ) or ssl", 14, ") at character 15"],
    ["(http.host eq x and ) or ssl", 20, ") at character 21"],
    ["http.host eq && ssl", 13, "&& at character 14"],
    ["http.host <> x", 11, "> at character 12"],
    ["(or http.host eq x)", 1, "or at character 2"],
    ['http.host eq "x" and AND ssl', 21, "AND at character 22"],
    ['ends_with(http.host, "x",)', 25, ") at character 26"],
    ['any(http.request.headers["a"[*] eq "x")', 38, ") at character 39"],
    ['(http.host eq "x"))', 18, ") at character 19"],
    ['http.host in {"x")', 17, ") at character 18"],
    ["http.host eq 'x'", 13, "quotes at character 14"],
    ["http.host in {x 'y z'}", 16, "quotes at character 17"],
    ["ends_with(http.host, 'x')", 21, "quotes at character 22"],
    ["any(http.request.headers['a'][*] eq x)", 25, "quotes at character 26"],
    ["http.host eq", 10, "ends after eq"],
    ["http.host strict wildcard", 17, "ends after wildcard"],
    ['http.host eq "x" and', 17, "ends after and"],
    ["not", 0, "ends after not"],
  ];
  for (const [expression, offset, where] of faults) {
    it(`is found in ${expression}`, () => {
      const { at, reason = "" } = expressionFault(expression) ?? {};
      assert.equal(at, offset);
      assert.ok(reason.includes(where), reason);
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
