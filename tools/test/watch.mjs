import { watch as watchFolder } from "node:fs";
import { join, sep } from "node:path";
import { say } from "../setup/say.mjs";
import { buildPackage, root } from "../setup/workspace.mjs";
import { changedTests } from "./changed.mjs";
import { parallelism, runMocha } from "./run-mocha.mjs";
import { isHeavy } from "./test-files.mjs";

/** An editor saves several files, and one file in several steps. */
const settleMs = 150;

/** Runs the tests without an engine that a saved file can reach, again and again, until Ctrl+C. */
export async function watch(forMocha) {
  const saved = new Set();
  let wake = () => {};
  const watchers = ["provider/src", "test", "tools"].map((room) =>
    watchFolder(join(root, room), { recursive: true }, (_event, name) => {
      if (name === null || name.split(sep).includes("node_modules")) return;
      saved.add(`${room}/${name.split(sep).join("/")}`);
      wake();
    }),
  );
  let isOver = false;
  process.once("SIGINT", () => {
    isOver = true;
    wake();
  });
  say(
    "Watching provider/src, test and tools: save a file, and the tests that it can reach are run. Ctrl+C ends it.",
  );
  while (!isOver) {
    if (saved.size === 0) {
      await new Promise((resolve) => {
        wake = resolve;
      });
      continue;
    }
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const paths = [...saved];
    saved.clear();
    await tell(paths, forMocha);
  }
  for (const watcher of watchers) watcher.close();
}

async function tell(paths, forMocha) {
  const files = changedTests(root, paths).files.filter((file) => !isHeavy(file));
  if (files.length === 0) return;
  say(`\n${paths.join(", ")}`);
  try {
    await buildPackage();
  } catch (error) {
    // Half an edit: the next save is the answer.
    say(error.message);
    return;
  }
  const env = { ...process.env };
  const result = await runMocha({
    name: "tests",
    files,
    forMocha: ["--reporter-option", "maxDiffSize=2000", ...parallelism(files.length), ...forMocha],
    env,
  });
  process.stdout.write(`${result.passed} passed, ${result.failed + result.problems.length} failed\n`);
}
