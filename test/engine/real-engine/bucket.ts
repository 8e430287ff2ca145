import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

/** A bucket of this test's own, in the memory of a process that speaks S3 on a loopback port. */
export interface Bucket {
  /** For `pulumi login`. */
  readonly url: string;
  /** For every process that opens the bucket. */
  readonly env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** Fails on a machine that has no such process yet and no `go` to build it. */
export async function startBucket(): Promise<Bucket> {
  const tool: { findOrMakeBucket(): Promise<string> } = await import(
    pathToFileURL(resolve(__dirname, "../../../tools/setup/bucket.mjs")).href
  );
  const server = spawn(await tool.findOrMakeBucket(), { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(server, "close");
  const [port] = await once(createInterface({ input: server.stdout }), "line");
  return {
    url: `s3://states?endpoint=http://127.0.0.1:${port}&s3ForcePathStyle=true&region=us-east-1`,
    env: { AWS_ACCESS_KEY_ID: "story", AWS_SECRET_ACCESS_KEY: "story", AWS_EC2_METADATA_DISABLED: "true" },
    async stop() {
      server.stdin.end();
      await ended;
    },
  };
}
