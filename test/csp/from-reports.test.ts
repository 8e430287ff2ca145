import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type ReportedUse, fromReports as read, suggest } from "../../csp/src";
import { each } from "../support/each";

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64");
const fromReports = (reports: readonly ReportedUse[]) => read(reports, { sha256 });

const pageUrl = "https://shop.example.com/cart";
const policy = "default-src 'self'; img-src 'self' pics.example.net; script-src 'self' 'report-sample'";

/** Two reports of the same URL by two visitors, two hours apart. */
function twice(kind: ReportedUse["kind"], url: string, more: Partial<ReportedUse> = {}): ReportedUse[] {
  const reported = { kind, url, pageUrl, policy };
  return ["a", "b"].map((visitor, at) => ({ ...reported, visitor, time: at * 2 * 3_600_000, ...more }));
}

function codes(reports: readonly ReportedUse[]) {
  return each(fromReports(reports).remarks, "code");
}

describe("fromReports", () => {
  it("given images, styles, fonts, frames and workers, then each gets a list with the sources of the reported policy", () => {
    const { directives, remarks } = fromReports([
      ...twice("image", "https://img.example.org/a/b.png"),
      ...twice("image", "data:"),
      ...twice("style", "https://fonts.example.org/css"),
      ...twice("font", "https://shop.example.com/own.woff"),
      ...twice("frame", "https://pay.example.org/frame"),
      ...twice("worker", "blob:"),
    ]);
    assert.deepEqual(remarks, []);
    assert.deepEqual(directives, {
      "img-src": ["'self'", "data:", "img.example.org", "pics.example.net"],
      "style-src": ["'self'", "fonts.example.org"],
      "font-src": ["'self'"],
      "frame-src": ["'self'", "pay.example.org"],
      "worker-src": ["'self'", "blob:"],
    });
  });

  it("given reports of several policies, then the lists keep the sources of each", () => {
    const { directives } = fromReports([
      ...twice("image", "https://a.example/a.png"),
      ...twice("image", "https://a.example/a.png", { policy: "img-src old.example.net" }),
    ]);
    assert.deepEqual(directives["img-src"], ["'self'", "a.example", "old.example.net", "pics.example.net"]);
  });

  it("given hosts of the same kind, then a wildcard replaces them, as for scripts", () => {
    const { directives } = fromReports(
      ["a", "b"].flatMap((host) => twice("image", `https://${host}.tile.maps.example/1.png`)),
    );
    assert.deepEqual(directives["img-src"], ["'self'", "*.tile.maps.example", "pics.example.net"]);
  });

  it("given a short inline script, then it gets its hash; a longer one is only named, because its sample is incomplete", () => {
    const sample = "window.dataLayer=[]";
    const { directives, remarks } = fromReports(twice("script", "inline", { sample }));
    assert.deepEqual(directives, { "script-src": ["'sha256-L7hWNrEyMq7YioXB7dvUrVxlz+dSddaZUGK2GvzNH/Q='"] });
    assert.deepEqual(each(remarks, "code"), ["inline-by-hash"]);
    const longer = fromReports(twice("script", "inline", { sample: "x".repeat(40) }));
    assert.deepEqual(longer.directives, {});
    assert.match(longer.remarks[0]?.text ?? "", /^NOT ALLOWED: scripts: inline x+ .*console shows/);
    assert.deepEqual(codes(twice("script", "inline")), ["inline-not-known"]);
  });

  const host = "https://x.example/a.png";
  for (const [what, reports, text] of [
    ["one report", twice("image", host).slice(1), "reported once"],
    ["one visitor", twice("image", host, { visitor: "a" }), "reported by one visitor"],
    ["one hour", twice("image", host, { time: 5 }), "reported within one hour only"],
    ["a known bad domain", twice("style", "https://bootcss.com/a.css"), "not safe to allow"],
    ["an underscore", twice("image", "https://a_b.example/a.png"), "on a host that no source can name"],
    ["a scheme that lets text run", twice("frame", "data:"), "not safe to allow"],
    ["a host of each visitor's own", twice("image", "http://localhost/a.png"), "not safe to allow"],
  ] as const)
    it(`given ${what}, then the item is left out and named: ${text}`, () => {
      const { directives, remarks } = fromReports(reports);
      assert.deepEqual(directives, {});
      assert.deepEqual(each(remarks, "code"), ["left-out-of-reports"]);
      assert.ok(remarks[0]?.text.startsWith(`LEFT OUT of the reports, ${text}`), remarks[0]?.text);
    });

  const banks = (kind: "frame" | "form", count: number, at = pageUrl) =>
    Array.from({ length: count }, (_, index) => {
      const page = { pageUrl: at.replace("N", `${index}`) };
      // Of 40 banks, 14 were seen twice.
      return twice(kind, `https://acs.bank${index}.example/`, page).slice(index % 3 === 0 ? 0 : 1);
    }).flat();
  for (const [kind, directive] of Object.entries({ frame: "frame-src", form: "form-action" }))
    for (const at of [pageUrl, "https://shop.example.com/orders/orderN/pay?id=N"])
      it(`given ${kind}s of many owners on ${at}, each seen a few times, then the list is https:, with one note`, () => {
        const own = twice("frame", "https://js.stripe.com/v3/", { pageUrl: at });
        const reports = kind === "frame" ? [...banks("frame", 40, at), ...own] : banks("form", 40, at);
        const { directives, remarks } = fromReports(reports);
        assert.deepEqual(directives, { [directive]: ["https:"] });
        const [{ code, severity, text = "" } = {}, ...others] = remarks;
        assert.deepEqual([code, severity, others], ["many-owners", "note", []]);
        assert.match(text, /https: in place of a list: .* 4[01] owners.*never be complete.*3-D Secure/);
      });

  it("given frames of many owners under a policy that allows data:, then the list keeps data: beside https:", () => {
    const reports = banks("frame", 40).map((report) => ({ ...report, policy: "frame-src data: a.example" }));
    assert.deepEqual(fromReports(reports).directives, { "frame-src": ["https:", "data:"] });
  });

  it("given frames of few owners, of one owner with many hosts, or each on another page, then they are listed", () => {
    const twenty = Array.from({ length: 20 }, (_, index) => index);
    const hosts = twenty.flatMap((index) => twice("frame", `https://f${index}.ads.example/`));
    const spread = [..."abcdefghijklmnopqrst"].flatMap((page) =>
      twice("frame", `https://owner-${page}.example/`, { pageUrl: `https://shop.example.com/${page}` }),
    );
    for (const reports of [banks("frame", 7), hosts, spread])
      assert.ok(!codes(reports)?.includes("many-owners"));
  });

  it("given neither visitors nor times, then two reports are enough", () => {
    const reports = twice("font", "https://f.example/a").map(({ visitor: _, time: __, ...rest }) => rest);
    assert.deepEqual(Object.keys(fromReports(reports).directives), ["font-src"]);
  });

  it("given items that the service lists, or that a policy should not allow, then they are named and not suggested", () => {
    const reports = [
      ...twice("script", "https://a.example/x.js"),
      ...twice("script", "https://b.example/x.js"),
      ...twice("connection", "https://a.example/"),
      ...twice("script", "eval"),
      ...twice("event-handler", "inline"),
      ...twice("style", "inline"),
    ];
    assert.deepEqual(fromReports(reports).directives, {});
    assert.deepEqual(codes(reports), Array(5).fill("reports-not-used"));
    const [scripts] = fromReports(reports).remarks;
    assert.match(scripts?.text ?? "", /: scripts: a\.example, b\.example \(4 reports, /);
  });

  it("given reports without their policy, then a warning says that its sources are missing", () => {
    assert.deepEqual(codes(twice("image", host, { policy: "" })), ["reports-without-policy"]);
  });

  for (const kept of ["/a%20b/", "/%C3%A9/", "/x%3Fy/", "/a%3Bb%2Cc/", "/%252F/", "/a%2Fb/", "/%2A/"])
    it(`given a policy with the path ${kept}, then the new list allows what that path allows`, () => {
      const policy = `img-src https://img.example${kept}`;
      const { directives } = fromReports(twice("image", host, { policy }));
      assert.deepEqual(directives, { "img-src": [`https://img.example${kept}`, "x.example"] });
      assert.equal(suggest([], [], { base: directives }).value, `${policy} x.example`);
    });
});
