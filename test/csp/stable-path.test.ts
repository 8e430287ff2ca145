import assert from "node:assert/strict";
import fc from "fast-check";
import { isOfOneRelease, lastingName, splitFolders } from "../../csp/src/suggest/stable-path";
import { words } from "./random";

const NAMES = `
one release | 3.4.21 v2.0.1 vue@3.4.21 jquery-3.7.1.min.js 202312.1.0 0.7.20 2.26.0 abc123 1a2b3c4 app.3f2a91bc.js
one release | chunk-5d8e1f2a 9b74c9897bac770ffc029102a200c5de hfUfsXWZFeg83qqxrK27GB8P pPK749sccDmVW_9DSeTMVvh2
one release | rz4DvU-cY2JYCwHSTck0_qm- KMtCkBlYIzTaZpLQ 2024-01-15 20240115 2024_01 2024 m202401090101 r20240110
one release | abcdefabcdefabcd rel1234 018f3c1e-7b2a-7c3d-9e4f-5a6b7c8d9e0f 1234567 0714 55 5 %33%2e4.1
lasting | js recaptcha releases v1 v3 vue@3 vue@latest 1.latest stable latest sdk checkoutshopper ajax libs
lasting | jquery html5 bootstrap4 mp3 web3 b2b h5 _next static @scope gtm.js api.js recaptcha__en.js
lasting | cloudflare-static wp-content SkypeLyncWebExperience cloudflareStaticAssetsBundle OneTrust npm GTM
lasting | email-decode.min.js abcdefabcdefabc
`;

describe("isOfOneRelease", () => {
  for (const line of NAMES.trim().split("\n")) {
    const [kind, names = ""] = line.split(" | ");
    for (const name of names.split(" "))
      it(`given ${name}, then the kind is: ${kind}`, () =>
        assert.equal(isOfOneRelease(name), kind === "one release"));
  }

  it("given very many folders, then foldersOf returns only the first", () => {
    assert.deepEqual(splitFolders("/a/b/c.js"), ["/a/", "/a/b/"]);
    assert.ok(splitFolders("/a".repeat(100_000)).length < 20);
  });
});

describe("lastingName", () => {
  const names = [
    ["app.3f2a91bc.js", "app.*.js"],
    ["jquery-3.7.1.min.js", "jquery-*.min.js"],
    ["vue@3.4.21", "vue@*"],
    ["v2.0.1", "v*"],
    ["2024-01-15", "*"],
    ["release-20240115-rc", "release-*-rc"],
    ["9b74c9897bac770ffc029102a200c5de", "*"],
    ["%33%2e4.1", "*"],
    ["rel1234", "*"],
    ["jquery", "jquery"],
    ["v3", "v3"],
  ] as const;
  for (const [name, lasting] of names)
    it(`returns ${lasting} for ${name}`, () => assert.equal(lastingName(name), lasting));

  it("returns a name with * exactly for names of one release", () => {
    const part = fc.constantFrom(...words("app v3 3.4 2024 3f2a91bc - . _ %2E 12 KMtCkBlYIzTaZpLQ"));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), (parts) => {
        const name = parts.join("");
        assert.equal(lastingName(name).includes("*"), isOfOneRelease(name), name);
      }),
    );
  });
});
