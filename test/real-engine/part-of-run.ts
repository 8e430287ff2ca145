/**
 * Several stories share one program, one run of the engine and one checkpoint. The names of a story's resources begin with
 * its mark there; a story sees its own part of them, without the mark.
 */
import type { Declaration, Declared } from "./declaration";

export type Mark = `tale${number}-`;

const anyMark = /(?:^|::|[ (])(tale\d+-)/;

/** `declaration`, all names in it with the mark. */
export function marked(declaration: Declaration, mark: Mark): Declaration {
  return Object.fromEntries(
    Object.entries(declaration).map(([name, declared]) => [`${mark}${name}`, markedResource(declared, mark)]),
  );
}

function markedResource({ kind, args, options }: Declared, mark: Mark): Declared {
  const { parent, dependsOn, aliases } = options;
  return {
    kind,
    args: Object(withOutputs(args, mark)),
    options: {
      ...options,
      ...(parent !== undefined && { parent: `${mark}${parent}` }),
      ...(dependsOn && { dependsOn: dependsOn.map((name) => `${mark}${name}`) }),
      ...(aliases && { aliases: aliases.map(({ name }) => ({ name: `${mark}${name}` })) }),
    },
  };
}

function withOutputs(value: unknown, mark: Mark): unknown {
  if (Array.isArray(value)) return value.map((entry) => withOutputs(entry, mark));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) =>
      key === "$output" && Array.isArray(entry)
        ? [key, [`${mark}${entry[0]}`, ...entry.slice(1)]]
        : [key, withOutputs(entry, mark)],
    ),
  );
}

/** An argument of the CLI that names a resource by its URN or by the end of one. */
export function markedArgument(argument: string, mark: Mark): string {
  return argument.replace(/^((?:urn:|\*\*).*::)([\w-]+)$/, `$1${mark}$2`);
}

/** The mark of the story that a resource with this URN is of; undefined for what all share. */
export function markOf(urn: string): string | undefined {
  return /::(tale\d+-)[^:]*$/.exec(urn)?.[1];
}

/** Whether a name has a mark: a story's own mark is removed before it sees a name. */
export function isMarked(name: string): boolean {
  return /^tale\d+-/.test(name);
}

export function withoutMark(text: string, mark: Mark): string {
  return text.replaceAll(mark, "");
}

/** Where the output about one resource begins: its heading, its differences, or a line about its progress. */
const beginnings = [
  /^ {2}\S+ \(\S+\):$/,
  /^ +[-+~=<>*]* ?[\w:/-]+: \([a-z-]+\)/,
  /^ [-+~@ ]{1,3} *[\w:/-]+:\w+ \S+ /,
];

/** The CLI's output without what is about other stories' resources. */
export function partOfOutput(output: string, mark: Mark): string {
  const kept: string[] = [];
  let block: string[] = [];
  const close = () => {
    const [owner] = block.slice(0, 3).flatMap((line) => anyMark.exec(line)?.[1] ?? []);
    if (owner === undefined || owner === mark) kept.push(...block);
    block = [];
  };
  for (const line of output.split("\n")) {
    if (/^\S/.test(line) || beginnings.some((pattern) => pattern.test(line))) close();
    block.push(line);
  }
  close();
  return withoutMark(kept.join("\n"), mark);
}
