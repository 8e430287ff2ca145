import assert from "node:assert/strict";
import type { ZoneSeed } from "../../simulator/src";
import { policy } from "./real-engine/declaration";
import { changesOf, type Message } from "./real-engine/preview";
import { useStories, zoneA, zoneWithPolicy } from "./real-engine/story";

const shop = {
  host: "shop.example.com",
  first_page_url: "https://shop.example.com/checkout",
  status: "active",
};

/** A script that the stories' usual policy allows, and one that it blocks. */
const busyZone: ZoneSeed = {
  ...zoneWithPolicy,
  scripts: [
    { ...shop, url: "https://js.example.com/pay.js" },
    { ...shop, url: "https://tags.example.net/t.js", last_seen_at: "2024-01-13T10:00:00Z" },
    { ...shop, url: "https://tags.example.net/bad.js", js_integrity_score: 3 },
  ],
};

/** `severity name` of the messages that match, in alphabetical order. */
function textsOf(messages: readonly Message[], text: RegExp): string[] {
  return messages
    .filter((message) => text.test(message.text))
    .map(({ severity, name }) => `${severity} ${name}`)
    .sort();
}

describe("On the engine: what a preview says of CSP policies", function () {
  const begin = useStories(this);

  it("given scripts in use that an allow policy would block, when it is previewed, then they are named at the resource, and an unchanged policy asks nothing", async () => {
    const { sim, stack } = await begin({ [zoneA]: busyZone });

    const csp = (args: object) => ({ csp: policy({ zoneId: zoneA, ...args }) });
    stack.declare(csp({ action: "log" }));
    await stack.up();
    assert.equal(sim.requests({ path: "scripts" }).length, 0, "a policy in log blocks nothing");

    stack.declare(csp({ action: "allow" }));
    const preview = await stack.preview();
    assert.deepEqual(changesOf(preview), ["update csp: action"]);
    assert.deepEqual(
      textsOf(
        preview.messages,
        /would block 2 of 3 .*\n {2}tags\.example\.net: breaks 1 script, keeps out 1 malicious script, .*; https:\/\/tags\.example\.net\/t\.js: [\s\S]*\[csp-blocks-in-use\]/,
      ),
      ["warning csp"],
    );
    // With impact "error" the preview fails: review.test.ts.
    await stack.up();
    assert.equal(sim.zone(zoneA).policies.at(-1)?.action, "allow");
    assert.deepEqual(stack.state()["csp"]?.outputs["impact"], {
      blocked: 2,
      keepsOut: 1,
      letsIn: 0,
      examined: 3,
      hosts: { "tags.example.net": 2 },
    });
    await stack.expectEmptyPreview();
  });
});
