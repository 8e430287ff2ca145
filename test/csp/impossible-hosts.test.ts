import assert from "node:assert/strict";
import { impossibleHosts } from "../../csp/src";

describe("A host that no request has", () => {
  const found: readonly [string, string][] = [
    ['http.host eq "Shop.Example.com"', '"Shop.Example.com" (at character 14): write "shop.example.com"'],
    ['ssl and lower(http.host) in {"a.x" "B.x"}', '"B.x" (at character 36): write "b.x"'],
    ['http.host eq "*.example.com"', 'write http.host wildcard "*.example.com"'],
    ['http.host eq "https://shop.example.com/pay?a#b"', 'write "shop.example.com"'],
    ['http.host eq "shop.example.com:443"', 'write "shop.example.com"'],
    ['http.host eq "shop.example.com/pay"', 'write "shop.example.com"'],
    ['http.host eq "shop.example.com."', 'write "shop.example.com"'],
    ['http.host eq "shop.\u200bexample.com "', 'write "shop.example.com"'],
    ['http.host eq "“shop.example.com”"', 'write "shop.example.com"'],
    ['http.host eq "bücher.example"', 'write "xn--bcher-kva.example"'],
    ['http.host eq ""', "write a name like shop.example.com"],
    ['http.host == ""', "write a name like shop.example.com"],
    ['http.host in {"a.example" ""}', "write a name like shop.example.com"],
    ['http.host ne "Shop.example.com"', 'write "shop.example.com"'],
    ["http.host == Shop.example.com", 'write "shop.example.com"'],
    ['ends_with(http.host, "*.example.com")', 'write ".example.com"'],
    ['ends_with(http.host, ".Example.com")', 'write ".example.com"'],
    ['http.host wildcard "https://*.example.com/*"', 'write "*.example.com"'],
    ['http.host strict wildcard "*.Example.com"', 'write "*.example.com"'],
    ['not (http.host contains "Shop")', 'write "shop"'],
    ['http.host eq ".example.com"', 'write http.host wildcard "*.example.com"'],
    ['http.host eq "a.example, b.example"', "write a name like shop.example.com"],
    ['http.host eq "a.example,b.example"', "write a name like shop.example.com"],
    ['http.host contains r"shop\\.example"', 'write "shop.example"'],
    ['ssl and http.host eq "a.example" and http.host in {"b.example"}', "no request has two hosts at once"],
  ];
  for (const [expression, told] of found) {
    it(`is found in ${expression}`, () => {
      const [fault, ...others] = impossibleHosts(expression);
      assert.ok(fault?.reason.includes(told), fault?.reason);
      assert.deepEqual(others, []);
    });
  }

  for (const expression of [
    'http.host in {"shop.example.com" "a_b.example" "192.0.2.1" "xn--bcher-kva.example" "localhost"}',
    'http.host wildcard "*.Example.com" or http.host strict wildcard "*.example.com"',
    'upper(http.host) eq "SHOP.EXAMPLE"',
    'http.host matches "^A" or http.host in $hosts',
    'http.host ne "" and starts_with(http.host, "shop.") and http.host contains "."',
    'http.request.uri.path eq "/Pay" and http.host eq "a.example" or http.host eq "b.example"',
    'ssl xor http.host eq "a.example" or not http.host eq "b.example"',
    "http.host eq 73:68:6f:70 or http.host in {}",
    "true",
    "(",
  ])
    it(`is not found in ${expression}`, () => assert.deepEqual(impossibleHosts(expression), []));
});
