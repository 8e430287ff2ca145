export interface CodedText {
  /** Without the code. */
  readonly text: string;
  readonly code: string | undefined;
}

/** Kebab case for findings, `PG_…` for errors. */
const codeAtEnd = / \[((?:PG_)?[A-Z_]+|[a-z][a-z0-9-]*)\](?=\n|$)/g;

/** A message of ours ends with its code in brackets; several of them may have come as one, a line below the other. */
export function codedTexts(message: string): CodedText[] {
  const found: CodedText[] = [];
  let from = 0;
  for (const match of message.matchAll(codeAtEnd)) {
    found.push({ text: message.slice(from, match.index).trim(), code: match[1] });
    from = match.index + match[0].length;
  }
  const rest = message.slice(from).trim();
  return rest === "" ? found : [...found, { text: rest, code: undefined }];
}
