import assert from "node:assert/strict";
import fc from "fast-check";
import {
  build,
  equalPolicies,
  hostsOf,
  lint,
  matches,
  normaliseExpression,
  parse,
  suggest,
  toDirectives,
} from "../../../csp/src";
import { CspError } from "../../../csp/src/syntax/build";
import { resolveConnection } from "../../../provider/src/api/connection";
import { PageGuardError } from "../../../provider/src/errors/page-guard-error";
import { odd } from "./corpus";
import { anyText, feed } from "./fuzz";

const sources =
  "'self' 'none' 'unsafe-inline' 'nonce- 'sha256- 'strict-dynamic' https: https:// * *. :* :443 / ; ,";
const ofPolicies = [
  ...`script-src default-src upgrade-insecure-requests ${sources} example.com data: [::1] xn-- ß %2F`.split(
    " ",
  ),
  " ",
  "\t",
];
const words = "http.host eq ne in contains matches ends_with lower( not and or true shop.example.com";
const ofExpressions = [...`${words} { } ( ) " \\ r#" == && || !`.split(" "), " ", "# comment\n"];

describe("Texts that people and services write, whatever they are", () => {
  it("a policy is parsed, linted and rendered; what is rendered means the same", () => {
    const look = (text: string): void => {
      const directives = toDirectives(parse(text));
      assert.ok(equalPolicies(text, text));
      lint(text);
      matches(text, {
        kind: "script",
        url: "https://example.com/a.js",
        pageUrl: "https://shop.example.com/",
      });
      let rendered: string;
      try {
        rendered = build(directives);
      } catch (error) {
        // What cannot be built is refused in our own words.
        assert.ok(error instanceof CspError, String(error));
        return;
      }
      assert.ok(equalPolicies(rendered, build(toDirectives(parse(rendered)))), rendered);
    };
    for (const text of odd) look(text);
    feed(anyText([...ofPolicies, ...odd]), look);
  });

  it("an expression is normalised once and for all, and its hosts are told or not known", () => {
    const look = (text: string): void => {
      const once = normaliseExpression(text);
      assert.equal(normaliseExpression(once), once);
      hostsOf(text);
    };
    for (const text of odd) look(text);
    feed(anyText([...ofExpressions, ...odd]), look);
  });

  it("a suggestion can be made of any script", () => {
    feed(
      fc.array(anyText([..."https:// http:// a.example / : @ ? # .. blob: data:".split(" "), ...odd]), {
        maxLength: 5,
      }),
      (urls) => {
        suggest(
          urls.map((url) => ({ url, host: "shop.example.com" })) as unknown as Parameters<typeof suggest>[0],
          [],
        );
      },
    );
  });

  it("a connection can be used or is refused in our own words, which never hold the token", () => {
    const token = "a-token-that-nobody-may-see";
    const values = anyText([
      ..."https:// http:// localhost 127.0.0.1 /v4 user:pass@ ? # page_shield".split(" "),
      ...odd,
    ]);
    const args = fc.record({ baseUrl: values, service: values }, { requiredKeys: [] });
    feed(fc.tuple(args, values), ([{ baseUrl, service }, fromConfig]) => {
      try {
        resolveConnection(
          { ...(baseUrl !== undefined && { baseUrl }), ...(service !== undefined && { service }) } as never,
          { PAGE_GUARD_API_TOKEN: token },
          () => fromConfig,
        );
      } catch (error) {
        assert.ok(error instanceof PageGuardError, String(error));
        assert.ok(!error.message.includes(token));
      }
    });
  });
});
