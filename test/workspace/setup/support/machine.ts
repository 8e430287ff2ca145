import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

export const root = resolve(__dirname, "../../../..");

/** Imports a module of tools/setup. */
export function tool(name: string) {
  return import(pathToFileURL(join(root, `tools/setup/${name}.mjs`)).href);
}

/**
 * A simulated machine for one test, with its own PATH, home and engine cache, and without a network. It does not see the
 * programs of the real machine.
 */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), "page-guard-machine-"));
  readonly cache = join(this.folder, "cache");
  /** Folders of PATH, in order. */
  path: string[] = [join(this.folder, "bin")];
  /** Behaviour of `fetch`: `refuse` fails at once, `silence` never answers, `web` returns the file `web/HOST/FILE`. */
  network: "refuse" | "silence" | "web" = "refuse";
  env: NodeJS.ProcessEnv = {};

  constructor() {
    // The few commands that scripts need.
    for (const name of ["sh", "cat", "mkdir", "sleep"]) {
      mkdirSync(join(this.folder, "bin"), { recursive: true });
      symlinkSync(join("/bin", name), join(this.folder, "bin", name));
    }
    symlinkSync(process.execPath, join(this.folder, "bin", "node"));
  }

  /** Writes an executable shell script to a path inside the machine. */
  install(path: string, script: string): string {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  /** Creates a folder that looks like an official bundle of that version. */
  installBundle(folder: string, version: string): string {
    for (const name of ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"])
      this.install(join(folder, name), `echo v${version}`);
    return join(this.folder, folder);
  }

  /** Runs `node ARGS` at the root of the repository, with the environment of this machine. */
  node(...args: readonly string[]) {
    return this.run(process.execPath, ...args);
  }

  async run(file: string, ...args: readonly string[]) {
    const child = spawn(file, args, {
      cwd: root,
      env: {
        PATH: this.path.join(":"),
        HOME: this.folder,
        PAGE_GUARD_ENGINE_CACHE: this.cache,
        PAGE_GUARD_ENGINE_DOWNLOAD_MS: "60000",
        NODE_OPTIONS: `--require=${join(__dirname, "no-network.cjs")}`,
        STORY_NETWORK: this.network,
        STORY_WEB: join(this.folder, "web"),
        ...this.env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [[code], stdout, stderr] = await Promise.all([
      once(child, "close") as Promise<[number | null]>,
      text(child.stdout),
      text(child.stderr),
    ]);
    return { code, stdout, stderr };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
