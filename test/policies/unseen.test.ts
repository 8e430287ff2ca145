import assert from "node:assert/strict";
import { unseenFinding } from "../../provider/src/policies/unseen";

describe("What allow policies restrict and nobody can look at", () => {
  const message = (...policies: Parameters<typeof unseenFinding>[1]) =>
    unseenFinding("warn", policies).map((finding) => finding.message)[0];

  it("is nothing where the text is not known, restricts nothing of that, or is not to be judged", () => {
    assert.equal(message({ text: undefined }), undefined);
    assert.equal(message({ text: 7 }), undefined);
    assert.equal(message({ text: "connect-src 'self'" }), undefined);
    assert.equal(message(), undefined);
    assert.deepEqual(unseenFinding("off", [{ text: "img-src 'self'" }]), []);
  });

  it("is told in one line, with the names of those that have one", () => {
    assert.match(
      message({ text: "img-src 'self'" }) ?? "",
      /^with action "allow" this policy also restricts images\. /,
    );
    assert.match(message({ text: "img-src a; font-src a" }) ?? "", /restricts images and fonts\. /);
    assert.match(
      message({ text: "img-src a; font-src a; media-src a" }) ?? "",
      /restricts images, fonts and audio/,
    );
    assert.match(
      message({ text: "img-src a", name: "shop" }) ?? "",
      /the policy shop also restricts images\. /,
    );
    assert.match(
      message(
        { text: "img-src a", name: "shop" },
        { text: undefined, name: "x" },
        { text: "font-src a", name: "b" },
      ) ?? "",
      /the policies shop, b also restrict images and fonts\. /,
    );
  });
});
