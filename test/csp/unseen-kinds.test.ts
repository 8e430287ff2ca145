import assert from "node:assert/strict";
import fc from "fast-check";
import { unseenKinds } from "../../csp/src";
import { holds, hostileText } from "./random";

const HASH = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
const SCRIPTS = ["inline scripts", "event handlers", "eval", "WebAssembly"];
const IN_PAGE = ["inline scripts", "event handlers"];
const TABLE: readonly (readonly [string, readonly string[]])[] = [
  ["", []],
  ["connect-src 'self'", []],
  ["upgrade-insecure-requests", []],
  ["sandbox", [...SCRIPTS, "workers", "forms"]],
  ["sandbox allow-scripts allow-forms", []],
  ["script-src 'self'", [...SCRIPTS, "workers"]],
  ["script-src 'self' 'unsafe-inline'", ["eval", "WebAssembly", "workers"]],
  ["script-src 'unsafe-inline' 'unsafe-eval' https: data: blob:", []],
  ["script-src 'unsafe-inline' 'wasm-unsafe-eval' * data: blob:", ["eval"]],
  // A hash or 'strict-dynamic' disables 'unsafe-inline'.
  [`script-src 'unsafe-inline' 'unsafe-eval' * data: blob: 'sha256-${HASH}'`, IN_PAGE],
  ["script-src 'unsafe-inline' 'unsafe-eval' * data: blob: 'strict-dynamic'", IN_PAGE],
  // Hashes of evaluated code disable nothing. Hashes of URLs do not disable 'unsafe-inline'.
  ["script-src 'unsafe-inline' 'unsafe-eval' * data: blob: 'eval-sha256-AA'", []],
  ["script-src 'unsafe-inline' 'unsafe-eval' * data: blob: 'url-sha256-AA'", ["workers"]],
  ["img-src * data: blob: 'url-sha256-AA'", ["images"]],
  ["frame-src * data: blob: 'url-sha256-AA'", []],
  ["worker-src 'self' data: blob:", []],
  ["worker-src 'self' data:", ["workers"]],
  ["worker-src 'self' blob:", ["workers"]],
  ["worker-src cdn.example data: blob:", ["workers"]],
  ["worker-src 'strict-dynamic'", []],
  ["style-src *", ["inline styles", "style attributes"]],
  ["style-src 'unsafe-inline'", ["stylesheets"]],
  ["style-src 'unsafe-inline' 'strict-dynamic' https:", []],
  [
    "default-src * data: blob: 'unsafe-inline' 'unsafe-eval' 'strict-dynamic'",
    [...IN_PAGE, "inline styles", "style attributes"],
  ],
  ["img-src *", ["images"]],
  ["img-src * data: blob:", []],
  ["img-src https: data: blob:", []],
  ["img-src *:* data: blob:", []],
  ["img-src https://*:*/ data: blob:", []],
  // Other ports are blocked.
  ["img-src https://* data: blob:", ["images"]],
  ["img-src wss: data: blob:", ["images"]],
  ["font-src * data:", []],
  ["media-src 'self'", ["audio and video"]],
  ["child-src https://* data: blob:; frame-src * data: blob:", []],
  ["child-src 'self'", ["frames", "workers"]],
  ["child-src 'self'; frame-src * data: blob:", ["workers"]],
  ["object-src 'none'", ["objects and embeds"]],
  ["manifest-src 'self'", ["app manifests"]],
  ["form-action 'self'", ["forms"]],
  ["base-uri 'self'", ["base URLs"]],
  ["frame-ancestors 'self'", ["pages that frame this one"]],
  // Browsers ignore a directive with a bad character.
  ["img-src ü.example", []],
  // Every policy in a text restricts content.
  ["connect-src 'self', img-src 'self'", ["images"]],
];

describe("unseenKinds", () => {
  for (const [policy, kinds] of TABLE) {
    it(`returns ${kinds.join(", ") || "nothing"} for ${policy || "an empty policy"}`, () => {
      assert.deepEqual(unseenKinds(policy), kinds);
    });
  }

  it("returns nearly all kinds for a policy that looks harmless and breaks a shop", () => {
    const kinds = unseenKinds("default-src 'none'; script-src 'self'; connect-src 'self'");
    const expected = [...SCRIPTS, "stylesheets", "inline styles", "images", "fonts", "frames"];
    assert.deepEqual(
      expected.filter((kind) => !kinds.includes(kind)),
      [],
    );
    // default-src does not restrict these.
    const others = ["forms", "base URLs", "pages that frame this one"];
    assert.deepEqual(
      others.filter((kind) => kinds.includes(kind)),
      [],
    );
  });

  it("never throws, for any text", () => {
    holds(fc.property(hostileText, (text) => void unseenKinds(text)));
  });
});
