import { dirname, join } from "node:path/posix";
import { loadCompiler } from "../../internals/compiler";
import type { Properties } from "../../lifecycle/kind";
import type { ExportFolder } from "./folder";
import type { ExportedKind } from "./program";
import { type ProgramModule, programModule, type Use } from "./program-module";
import { literalOf, type Scope, type TypeScript, unreadable } from "./source-value";

export interface Declaration {
  readonly kind: ExportedKind;
  /** `zones/shop.ts:12` */
  readonly place: string;
  readonly file: string;
  /** Values, or `unreadable`. */
  readonly name: unknown;
  readonly args: Properties;
}

export interface ProgramRead {
  readonly declarations: readonly Declaration[];
  /** Declarations that cannot be read without running them; without a kind, files that are not valid. */
  readonly unread: readonly { readonly kind?: ExportedKind; readonly place: string }[];
}

/** More values than any declaration has. */
const mostValues = 20_000;

/**
 * Reads what the edited files of a program declare, from `roots` along their imports. Nothing is run: the program may be
 * someone's proposal.
 */
export function readProgram(folder: ExportFolder, roots: readonly string[]): ProgramRead {
  // Nothing was edited, so the compiler is not loaded.
  if (!roots.some((file) => folder.isEdited(file))) return { declarations: [], unread: [] };
  const compiler = loadCompiler();
  const modules = new Map<string, ProgramModule | undefined>();
  const open = [...roots];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (modules.has(file) || !folder.has(file)) continue;
    const text = folder.read(file);
    const module = text === undefined ? undefined : parsed(compiler, file, text);
    modules.set(file, module);
    for (const specifier of module?.specifiers ?? []) {
      const target = targetOf(folder, file, specifier);
      if (target !== undefined) open.push(target);
    }
  }
  const values = new Values(compiler, folder, modules);
  const declarations: Declaration[] = [];
  const unread: { kind?: ExportedKind; place: string }[] = [];
  for (const [file, module] of modules) {
    if (folder.isOurs(file)) continue;
    if (!module) unread.push({ place: `${file} (not valid TypeScript)` });
    for (const use of module?.uses ?? []) {
      const { kind } = use;
      const place = `${file}:${use.line}`;
      const declared = values.declared(file, use);
      if (declared) declarations.push({ kind, place, file, ...declared });
      else unread.push({ kind, place });
    }
  }
  return { declarations, unread };
}

function parsed(compiler: TypeScript, file: string, text: string): ProgramModule | undefined {
  try {
    return programModule(compiler, file, text);
  } catch (error) {
    // Nested too deeply for the compiler.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The file of a relative import. */
function targetOf(folder: ExportFolder, file: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const path = join(dirname(file), specifier);
  return [`${path}.ts`, path.replace(/\.js$/, ".ts"), join(path, "index.ts")].find(
    (one) => /\.ts$/.test(one) && !one.startsWith("..") && folder.has(one),
  );
}

/** Values of constants of the modules, each read once. */
class Values {
  readonly #known = new Map<string, unknown>();
  readonly #touched: ReadonlySet<string>;

  constructor(
    readonly compiler: TypeScript,
    readonly folder: ExportFolder,
    readonly modules: ReadonlyMap<string, ProgramModule | undefined>,
  ) {
    this.#touched = new Set([...modules.values()].flatMap((module) => [...(module?.touched ?? [])]));
  }

  declared(file: string, { call }: Use): Pick<Declaration, "name" | "args"> | undefined {
    const [name, args] = call?.arguments ?? [];
    if (!name || !args) return undefined;
    const scope = this.#scope(file);
    const value = literalOf(this.compiler, args, scope);
    if (typeof value !== "object" || value === null || Array.isArray(value) || !isBounded(value))
      return undefined;
    return { name: literalOf(this.compiler, name, scope), args: { ...value } };
  }

  #scope(file: string): Scope {
    return (name) => {
      const value = this.#constant(file, name);
      // A function can change a list or an object that it gets, but not a text.
      return this.#touched.has(name) && typeof value === "object" ? unreadable : value;
    };
  }

  #constant(file: string, name: string): unknown {
    const id = `${file}\n${name}`;
    if (this.#known.has(id)) return this.#known.get(id);
    // For one that refers to itself.
    this.#known.set(id, unreadable);
    const value = this.#find(file, name);
    const kept = isBounded(value) ? value : unreadable;
    this.#known.set(id, kept);
    return kept;
  }

  #find(file: string, name: string): unknown {
    const module = this.modules.get(file);
    const expression = module?.constants.get(name);
    if (expression) return literalOf(this.compiler, expression, this.#scope(file));
    const imported = module?.imports.get(name);
    const target = imported && targetOf(this.folder, file, imported.from);
    return imported && target !== undefined ? this.#constant(target, imported.name) : unreadable;
  }
}

function isBounded(value: unknown): boolean {
  let left = mostValues;
  const open = [value];
  while (open.length > 0 && left > 0) {
    left -= 1;
    const one = open.pop();
    if (typeof one === "object" && one !== null) open.push(...Object.values(one));
  }
  return left > 0;
}
