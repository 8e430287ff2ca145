// Without it: each provider process takes 30 MB and half a second of a processor more.
import { setFlagsFromString } from "node:v8";

/** Those that know the flags; one that does not would print that it does not, in every run. */
const known = ["20", "22", "24"];

/** One alone does not do: without the second one V8 optimises what is used much, without the first one everything at once. */
const flags = "--no-wasm-tier-up --no-wasm-dynamic-tiering";

/**
 * Lets V8 leave undici's parser of answers, which is WebAssembly, as it was loaded. To optimise it takes 30 to 35 MB and
 * half a second of a processor, a fifth of the process: nothing that a run could ever gain. V8 would do so with the first
 * long list, or after some hundred short answers; no budget that it can be given lasts longer, for each step in the parser,
 * one function of 100 kB, is charged with the way through it. For a process that lives for one run.
 */
export function leaveAnswerParserPlain(
  node: string = process.versions.node,
  setFlags: (flags: string) => void = setFlagsFromString,
): void {
  const [major = ""] = node.split(".", 1);
  if (known.includes(major)) setFlags(flags);
}
