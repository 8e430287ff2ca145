import { extname } from "node:path";
import { filesBelow, textOf } from "../../test/workspace/structure/source-files";

const languages: Readonly<Record<string, string>> = { ".ts": "ts", ".mjs": "js", ".yaml": "yaml" };
const shown = /^<!-- file: (\S+) -->\n(?:```\w*\n[\s\S]*?^```\n)?/gm;

/** A file as a block of code. */
export function blockOf(file: string): string {
  return `\`\`\`${languages[extname(file)]}\n${textOf(file).trimEnd()}\n\`\`\``;
}

/** Pages by path, with each file that a comment `<!-- file: … -->` names as it is now: on GitHub the block is what people read. */
export function pagesWithFiles(): Record<string, string> {
  const pages = [...filesBelow("docs/guides"), "docs/index.md"].map((path) => [path, textOf(path)] as const);
  return Object.fromEntries(
    pages.map(([path, text]) => [
      path,
      text.replace(shown, (_block, file: string) => `<!-- file: ${file} -->\n${blockOf(file)}\n`),
    ]),
  );
}
