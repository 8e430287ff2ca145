import { extname } from "node:path";
import { filesBelow, textOf } from "../../test/workspace/structure/source-files";

const languages: Readonly<Record<string, string>> = { ".ts": "ts", ".mjs": "js", ".yaml": "yaml" };
const shown = /^<!-- file: (\S+) -->\n(?:```\w*\n[\s\S]*?^```\n)?/gm;

/** Returns a file as a block of code. */
export function blockOf(file: string): string {
  return `\`\`\`${languages[extname(file)]}\n${textOf(file).trimEnd()}\n\`\`\``;
}

/** Returns pages by path. They show the current text of each file that `<!-- file: … -->` names, for readers on GitHub. */
export function pagesWithFiles(): Record<string, string> {
  const pages = [...filesBelow("docs/guides"), "docs/index.md"].map((path) => [path, textOf(path)] as const);
  return Object.fromEntries(
    pages.map(([path, text]) => [
      path,
      text.replace(shown, (_block, file: string) => `<!-- file: ${file} -->\n${blockOf(file)}\n`),
    ]),
  );
}
