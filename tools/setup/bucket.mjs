import { builtBucket } from "./engine-cache.mjs";
import { buildGoTool, digestOf } from "./go-tool.mjs";

const folder = "tools/engine/bucket";

/** The command that serves a bucket as S3 does, from our cache or built from its pinned Go modules. */
export async function findOrMakeBucket() {
  const executable = builtBucket(digestOf(folder, ["go.mod", "main.go"]));
  await buildGoTool({
    executable,
    folder,
    target: ".",
    what: "a bucket for the stories whose states are in S3",
    takes: "10 seconds on 2 cores",
  });
  return executable;
}
