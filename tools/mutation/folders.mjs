import { statSync } from "node:fs";
import { join } from "node:path";
import { filesUnder } from "../test/test-files.mjs";

/**
 * The folders whose tests are put to the test, each with where the tests are that know it. All that runs in one process
 * and is told in moments.
 */
const knownBy = {
  csp: [/^test\/csp\//],
  api: [/^test\/provider\/(api|functions)\//, /^test\/provider\/lifecycle\/rate-wait/],
  lifecycle: [/^test\/provider\/(declaration|internals|lifecycle|migration|policies|resources)\//],
  policies: [/^test\/provider\/(declaration|internals|lifecycle|migration|policies|resources)\//],
  "waf-rules": [/^test\/provider\/(declaration|internals|lifecycle|migration|policies|resources)\//],
  resources: [/^test\/provider\/(declaration|internals|lifecycle|migration|policies|resources)\//],
};

/**
 * Long random runs, other processes, and looks at the whole repository: a mutant would wait for them in vain. And what is
 * about stack traces, which are not written meanwhile.
 */
const tooLong = [
  /\/browser/,
  /hostile\.test\.ts$/,
  /-random\.test\.ts$/,
  /^test\/provider\/(declaration\/(dependencies|short-traces)|internals\/(shared-run|packaged))/,
  /^test\/provider\/api\/(network|rate-limit\/real-sockets|simulator)/,
];

/** Single tests of the same kind, as mocha's `grep` leaves them out. */
export const toldInMoments = "/^(?!.*(goes on for ever|1,200 in 5 minutes))/";

export const folders = Object.keys(knownBy);

/** Where the sources of one of `folders` are. */
export const sourcesOf = (folder) => (folder === "csp" ? "csp/src/" : `provider/src/${folder}/`);

/** The folder of `folders` that a path below the root belongs to, if any. */
export function folderOf(path) {
  return folders.find((folder) => path.startsWith(sourcesOf(folder)) && path.endsWith(".ts"));
}

/** The tests that mutants of `asked` folders have to get past, the short ones first: the first that falls is enough. */
export function testsOf(root, asked) {
  const patterns = asked.flatMap((folder) => knownBy[folder]);
  return filesUnder(root, "test")
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => patterns.some((pattern) => pattern.test(file)))
    .filter((file) => !tooLong.some((pattern) => pattern.test(file)))
    .sort((a, b) => statSync(join(root, a)).size - statSync(join(root, b)).size);
}
