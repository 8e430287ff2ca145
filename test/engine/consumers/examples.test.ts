import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import ts from "typescript";

const examples = resolve(__dirname, "../../../examples");

/** Type-checks a folder like `npm run check`, with one more file. */
function check(folder: string, extra: string): readonly string[] {
  const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), ts.sys.readFile);
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const mistake = join(folder, "mistake.ts");
  const host = ts.createCompilerHost(options, true);
  const { fileExists, readFile } = host;
  host.fileExists = (name) => name === mistake || fileExists(name);
  host.readFile = (name) => (name === mistake ? extra : readFile(name));
  const program = ts.createProgram([...fileNames, mistake], options, host);
  const found = [...errors, ...ts.getPreEmitDiagnostics(program)];
  return found.map(
    ({ file, code, messageText }) =>
      `${basename(file?.fileName ?? "tsconfig.json")} TS${code}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
  );
}

describe("npm run check in the examples", function () {
  this.timeout(120_000);

  const isTyped = (name: string) => readdirSync(join(examples, name)).includes("tsconfig.json");
  const folders = readdirSync(examples).filter(isTyped);

  for (const name of folders) {
    it(`finds a mistake that is added to ${name}, and nothing else`, () => {
      const folder = join(examples, name);
      const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      assert.equal(scripts.check, "tsc");
      const mistake = `import { PageGuardSettings } from "pulumi-page-guard";\nnew PageGuardSettings("watch", { zoneId: "", enabled: "yes" });\n`;
      const [only, ...others] = check(folder, mistake);
      assert.deepEqual(others, []);
      assert.match(
        only ?? "",
        /^mistake\.ts TS2322: Type 'string' is not assignable to type 'Input<boolean>'/,
      );
    });
  }
});
