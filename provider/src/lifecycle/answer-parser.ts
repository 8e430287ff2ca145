import { setFlagsFromString } from "node:v8";

/** Those that know the flag; one that does not would print that it does not, in every run. */
const known = ["20", "22", "24"];

/**
 * Lets V8 leave undici's parser of answers, which is WebAssembly, as it was loaded. To optimise it takes 35 MB while it
 * lasts, a fifth of the process, and begins with the first long list: nothing that a run could ever gain. V8 goes by a
 * budget of work; with this one it would begin after gigabytes of answers. For a process that lives for one run.
 */
export function leaveAnswerParserPlain(
  node: string = process.versions.node,
  setFlag: (flag: string) => void = setFlagsFromString,
): void {
  const [major = ""] = node.split(".", 1);
  if (known.includes(major)) setFlag("--wasm-tiering-budget=2000000000");
}
