import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(__dirname, "../..");

/** Documents that people write, as paths from the root: not those that a command writes (the reference, a report). */
export function documents(): string[] {
  const below = ["docs", "examples", "templates"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  );
  const packages = ["csp", "provider", "command", "simulator"].map((name) => `${name}/README.md`);
  return ["README.md", "SECURITY.md", "CONTRIBUTING.md", ...packages, ...below].filter(
    (path) => path.endsWith(".md") && !/node_modules|docs\/reference|\/report\.md/.test(path),
  );
}

/** Returns the text of all code blocks of a document. */
export function codeBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^ *```\w*\n([\s\S]*?)^ *```$/gm)].map(([, text = ""]) => text);
}

/** Returns the commands in the code blocks of a document, as words, without variables, `npx`, redirections and comments. */
export function documentedCommands(markdown: string): string[][] {
  const lines = codeBlocks(markdown).flatMap((text) => text.replace(/\\\n */g, " ").split("\n"));
  return lines.flatMap(commandsIn).filter((words) => words.length > 0);
}

/** Returns the commands that sentences name as code, as words. They may lack arguments. */
export function namedCommands(markdown: string): string[][] {
  const named = [...markdown.matchAll(/`((?:npx )?page-guard\s[^`]+)`/g)].map(([, text = ""]) => text);
  return named.flatMap((text) => commandsIn(text.replace(/\s+(?:… )?/g, " ")));
}

function commandsIn(line: string): string[][] {
  const typed = line.replace(/^\s*(?:\$ |(?:- )?run: )?/, "").replace(anyZone, zone);
  const commands: string[][] = [[]];
  for (const [word, single, double] of typed.matchAll(
    /'([^']*)'|"([^"]*)"|#.*$|[;|&()]+|\d?>+|[^\s;|&()>'"]+/g,
  )) {
    if (word.startsWith("#")) break;
    if (/^[;|&()]/.test(word)) commands.push([]);
    else commands.at(-1)?.push(single ?? double ?? word);
  }
  return commands.map(withoutShell);
}

/** Placeholders that readers replace by the id of their zone. */
const anyZone = /<[\w ]*(?:id|hex\w*|zone)[\w ]*>|\$ZONE\b|\bID\b/g;
const zone = "0123456789abcdef0123456789abcdef";

function withoutShell(words: readonly string[]): string[] {
  const redirected = words.findIndex((word) => /^\d?>+$/.test(word));
  const kept = redirected < 0 ? [...words] : words.slice(0, redirected);
  const first = kept.findIndex((word) => !/^(?:[A-Z_]+=.*|npx|exec|--no-install)$/.test(word));
  return kept.slice(Math.max(first, 0));
}
