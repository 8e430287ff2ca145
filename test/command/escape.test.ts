import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { parse } from "yaml";
import { escapeForForge, readTitle } from "../../command/src/documents/blocks/markdown";
import * as escapes from "../../command/src/documents/escape";

const { codeString, forCsv, forHtml, forJson, forMarkdown, forMarkdownCode, forShell, forTerminal, quote } =
  escapes;
const pieces = '` | :: ##[ <b> \u202e \u001b[2K =1+1 ](x) https://a.example @all */ " \\ ${ x \u2028';
const piece = fc.constantFrom(...pieces.split(" "), "\n");
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(piece, { maxLength: 12 }).map((parts) => parts.join("")),
);

describe("Text from outside is escaped for", () => {
  const holds = (property: (text: string) => void): void => fc.assert(fc.property(hostile, property));

  it("a terminal and a code comment: one line without invisible characters", () => {
    holds((text) => assert.doesNotMatch(forTerminal(text), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u));
  });

  it("a shell: one word, in quotes only if it needs them", () => {
    const words = [
      "it's",
      "$(id) `id`",
      "a;b",
      "*",
      "",
      'a"b\\',
      "unknown-input=shop.rules",
      "https://a.example/x.js",
    ];
    const script = `printf '<%s>' ${words.map(forShell).join(" ")}`;
    assert.equal(
      execFileSync("sh", ["-c", script], { encoding: "utf8" }),
      words.map((one) => `<${one}>`).join(""),
    );
    assert.deepEqual(words.slice(-2).map(forShell), words.slice(-2));
  });

  it("a heading of Markdown, from which the title of an issue is read back", () => {
    holds((text) => {
      const line = forTerminal(text, 300);
      const heading = escapeForForge(text);
      if (line.length < 200 && line.trim() !== "") assert.equal(readTitle(`x\n## ${heading}\n`), line);
    });
    assert.equal(readTitle("### a"), undefined);
  });

  it("Markdown: no HTML, link, code, table cell or mention", () => {
    holds((text) => {
      const line = forMarkdown(text);
      assert.doesNotMatch(line, /[<>@]|(?<!\\)[`|[\]]|:\/\//);
      const code = forMarkdownCode(text);
      const fence = /^`+/.exec(code)?.[0] ?? "";
      assert.ok(fence.length > 0 && code.endsWith(fence));
      assert.ok(!code.slice(fence.length, -fence.length).includes(fence), code);
    });
  });

  it("HTML and XML: no tag, and no end of an attribute", () => {
    holds((text) => assert.doesNotMatch(forHtml(text), /[<>"']|&(?!(amp|lt|gt|quot|#39);)/));
  });

  it("CSV: one field without a formula", () => {
    holds((text) => {
      const field = forCsv(text);
      assert.doesNotMatch(field, /^"?[=+\-@]/);
      if (/[",]/.test(field)) assert.match(field, /^"(?:[^"]|"")*"$/);
      // Programs that use another separator split the field there, with or without its quotes.
      assert.doesNotMatch(field, /[,;|\t]["\s]*[=+\-@＝＋－＠]/);
    });
    assert.equal(forCsv("a;=1+1"), `"a;'=1+1"`);
    assert.equal(forCsv(`a; "-1`), `"a;' ""-1"`);
    assert.equal(forCsv("1-2"), "1-2");
  });

  it("YAML: one escape for an invisible character beyond 16 bits, because YAML has no surrogate pairs", () => {
    const text = "tag \u{e0001}\u{e0041} ::error:: ##[group]";
    assert.equal(quote(text), '"tag \\U000e0001\\U000e0041 ::error:: \\u0023#[group]"');
    assert.equal(parse(quote(text)), text);
  });

  it("YAML and TypeScript: exactly the same text, without invisible characters in the source", () => {
    holds((text) => {
      for (const written of [quote(text), codeString(text)]) {
        assert.doesNotMatch(written, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }
      assert.equal(runInNewContext(codeString(text)), text);
      if (!/\p{Cs}/u.test(text)) assert.equal(parse(quote(text)), text);
    });
  });

  it("JSON on standard output: the same value, without commands for a CI", () => {
    holds((text) => {
      const value = { [text]: [text, { "##vso[task.setvariable]": "::error::" }], "#": "##[group]" };
      const json = forJson(value);
      assert.deepEqual(JSON.parse(json), value);
      assert.doesNotMatch(json.trim(), /##\w*\[|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    });
  });
});
