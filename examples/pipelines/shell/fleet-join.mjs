// node fleet-join.mjs: review.md and drift.txt of all machines from the folders fleet/1-of-4, fleet/2-of-4, …, and the output
// changes. A machine that left nothing is named in both, so that no comment looks complete, and no issue is closed, without it.
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const { env } = process;
const folders = existsSync("fleet") ? readdirSync("fleet").filter((name) => /^\d+-of-\d+$/.test(name)) : [];
const machines = Math.max(0, ...folders.map((name) => Number(name.split("-of-")[1])));
if (machines === 0) {
  console.error("No machine left anything: their jobs say why.");
  process.exit(1);
}
const parts = Array.from({ length: machines }, (_, index) => `fleet/${index + 1}-of-${machines}`);
const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
const absent = (...files) =>
  parts.flatMap((part, index) =>
    files.some((file) => existsSync(`${part}/${file}`))
      ? []
      : [`Machine ${index + 1} of ${machines} left no result: its job says why.`],
  );

const reviews = parts.flatMap((part) => read(`${part}/review.md`) ?? []);
if (reviews.length > 0) {
  // What cannot be undone comes first, of all machines: a comment that is too long is cut at its end.
  const sections = reviews.map((text) => text.split(/^(?=### )/m));
  const of = (title) =>
    sections.flatMap((all) => all.filter((one) => one.startsWith(`### ${title}`)).map((one) => one.trim()));
  const marks = sections.map(([head = ""]) => head.split("\n").slice(2).join("\n").trim());
  const [marker, heading] = reviews[0].split("\n");
  const missing = absent("review.md").map((line) => `**${line}**`);
  const body = [...missing, ...marks, ...of("Cannot be undone"), ...of("Zones")];
  writeFileSync("review.md", `${[marker, heading, "", body.join("\n\n")].join("\n")}\n`);
}

rmSync("drift.txt", { force: true });
if (parts.some((part) => existsSync(`${part}/drift.txt`) || existsSync(`${part}/no-drift.txt`))) {
  const lines = [
    ...absent("drift.txt", "no-drift.txt"),
    ...parts.flatMap((part) => read(`${part}/drift.txt`) ?? []),
  ];
  // Empty where there is none: the issue is closed.
  writeFileSync("drift.txt", lines.join("\n"));
}

const stacks = parts.flatMap(
  (part) => JSON.parse(read(`${part}/approved/manifest.json`) ?? '{"stacks":[]}').stacks,
);
const changes = stacks.some(({ isUnchanged }) => !isUnchanged);
if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, `changes=${changes}\n`);
