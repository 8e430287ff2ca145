import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inChild } from "./in-child.mjs";
import { median, table } from "./table.mjs";

/** What a program pays for `require("pulumi-page-guard")`, and for its first and its later resources. */
export async function loadBench({ progress, isQuick }) {
  const script = join(dirname(fileURLToPath(import.meta.url)), "load-time.cjs");
  const runs = [];
  for (let run = 0; run < (isQuick ? 5 : 15); run += 1) runs.push(await inChild(script, []));
  progress(`load: ${runs.length} processes`);
  const middle = (name) => median(runs.map((run) => run[name]));
  const results = {
    sdkMs: middle("sdkMs"),
    packageMs: middle("packageMs"),
    firstResourceMs: middle("firstResourceMs"),
    nextResourceMs: middle("nextResourceMs"),
    loadedByRequire: runs[0].loadedByRequire,
    loadedByResource: runs[0].loadedByResource,
  };
  const ms = (value) => value.toFixed(2);
  const text = table(
    [`median of ${runs.length} processes`, "ms", "also loaded"],
    [
      ['require("@pulumi/pulumi")', ms(results.sdkMs), ""],
      [
        'require("pulumi-page-guard") on top',
        ms(results.packageMs),
        results.loadedByRequire.join(" ") || "nothing",
      ],
      ["the first resource", ms(results.firstResourceMs), results.loadedByResource.join(" ") || "nothing"],
      ["each further resource", ms(results.nextResourceMs), ""],
    ],
  );
  return { title: "Load time in the program", results, text };
}
