import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

export const root = resolve(__dirname, "../../../..");

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A machine made up for one story: its own PATH, home and engine cache, and no network. What is installed on the real
 * one is out of sight.
 */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), "page-guard-machine-"));
  readonly cache = join(this.folder, "cache");
  /** Folders of PATH, in order. */
  path: string[] = [join(this.folder, "bin")];
  /** What `fetch` does: `refuse` fails at once, `silence` never answers, `web` gives what is in `web/HOST/FILE`. */
  network: "refuse" | "silence" | "web" = "refuse";
  env: NodeJS.ProcessEnv = {};

  constructor() {
    // The few commands that scripts cannot do without.
    for (const name of ["sh", "cat", "mkdir", "sleep"]) {
      mkdirSync(join(this.folder, "bin"), { recursive: true });
      symlinkSync(join("/bin", name), join(this.folder, "bin", name));
    }
    symlinkSync(process.execPath, join(this.folder, "bin", "node"));
  }

  /** An executable shell script, by its path inside the machine. */
  install(path: string, script: string): string {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  /** A folder that looks like an official bundle of that version. */
  installBundle(folder: string, version: string): string {
    this.install(join(folder, "pulumi"), `echo v${version}`);
    this.install(join(folder, "pulumi-language-nodejs"), "exit 0");
    this.install(join(folder, "pulumi-resource-pulumi-nodejs"), "exit 0");
    return join(this.folder, folder);
  }

  /** Starts `node ARGS` at the root of the repository, as this machine's only user. */
  node(...args: readonly string[]): Promise<Ended> {
    return this.run(process.execPath, ...args);
  }

  run(file: string, ...args: readonly string[]): Promise<Ended> {
    const child = spawn(file, args, {
      cwd: root,
      env: {
        PATH: this.path.join(":"),
        HOME: this.folder,
        PAGE_GUARD_ENGINE_CACHE: this.cache,
        PAGE_GUARD_ENGINE_DOWNLOAD_MS: "1500",
        NODE_OPTIONS: `--require=${join(__dirname, "no-network.cjs")}`,
        STORY_NETWORK: this.network,
        STORY_WEB: join(this.folder, "web"),
        ...this.env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (part) => {
      stdout += part;
    });
    child.stderr.on("data", (part) => {
      stderr += part;
    });
    return new Promise((done, failed) => {
      child.on("error", failed);
      child.on("close", (code) => done({ code, stdout, stderr }));
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
