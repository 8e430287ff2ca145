// `aws s3 cp --recursive s3://BUCKET/PREFIX FOLDER` as doctor starts it, where the real one is not installed. Signs nothing: the
// tests' bucket takes requests of anyone.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    recursive: { type: "boolean" },
    "only-show-errors": { type: "boolean" },
    "endpoint-url": { type: "string" },
    region: { type: "string" },
  },
});
const [service, verb, from, folder] = positionals;
if (`${service} ${verb}` !== "s3 cp" || !values.recursive)
  throw new Error(`aws ${positionals} is not played`);
const { host, pathname } = new URL(from);
const prefix = pathname.slice(1);

const list = await read(`?list-type=2&prefix=${encodeURIComponent(prefix)}`);
for (const [, key] of list.matchAll(/<Key>([^<]*)<\/Key>/g)) {
  const file = join(folder, key.slice(prefix.length));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await read(`/${key}`));
}

async function read(path) {
  const answer = await fetch(`${values["endpoint-url"]}/${host}${path}`);
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.text();
}
