import assert from "node:assert/strict";
import { selects } from "../../csp/src";

const page = "https://shop.example.com/pay/card?step=2#x";

describe("selects", () => {
  for (const [expression, expected] of [
    ["true", true],
    ["not ssl or false", undefined],
    ["ssl and false", false],
    ['http.host eq "shop.example.com"', true],
    ["http.host contains 73:68:6F:70 and http.host contains 65-78.61", true],
    ['lower(http.host) in {"a.example" "shop.example.com"}', true],
    ['http.host ne "shop.example.com"', false],
    ['not http.host == "a.example"', true],
    ['http.host eq "shop.example.com" and starts_with(http.request.uri.path, "/pay/")', true],
    ['http.host eq "shop.example.com" and http.request.uri.path eq "/cart"', false],
    ['http.host eq "a.example" or ends_with(http.request.uri.path, "card")', true],
    ['http.request.full_uri contains "card?step"', true],
    ['http.request.uri.query eq "step=2" xor http.host eq "shop.example.com"', false],
    ['http.host eq "a.example" and ip.src eq 1.2.3.4', false],
    ['http.host eq "shop.example.com" and ip.src eq 1.2.3.4', undefined],
    ['http.host eq "shop.example.com" or ip.src eq 1.2.3.4', true],
    ["http.host in $hosts", undefined],
    ['http.cookie[0] eq "a"', undefined],
    ['http.host matches "a.*"', undefined],
    ['len(http.host) eq "4"', undefined],
    ["http.host eq (", undefined],
    ['http.host eq "Shop.Example.com"', false],
    ['http.host wildcard "*.Example.com"', true],
    ['http.host strict wildcard "*.Example.com"', false],
    ['http.request.full_uri wildcard "https://*/pay/*?step=*"', true],
    ['http.request.full_uri wildcard "http://*"', false],
  ] as const)
    it(`given ${expression}, then the answer is ${expected ?? "unknown"}`, () => {
      assert.equal(selects(expression, page), expected);
    });

  it("given a page without a scheme, then it counts as an https page", () => {
    const expression = 'http.request.full_uri eq "https://shop.example.com/pay"';
    assert.equal(selects(expression, "shop.example.com/pay"), true);
  });

  it("given a text that is not a page, then the answer is unknown", () => {
    assert.equal(selects("true", "nowhere"), undefined);
  });
});
