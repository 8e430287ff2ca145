import { dirname, join } from "node:path/posix";
import { loadCompiler } from "../../internals/compiler";
import type { Properties } from "../../lifecycle/kind";
import type { ExportFolder } from "./folder";
import { type ExportedKind, type ProgramModule, programModule, type Use } from "./program-module";
import { literalOf, type Scope, type TypeScript, unreadable } from "./source-value";

/** A resource that a file of the program declares. */
export interface Declaration {
  readonly kind: ExportedKind;
  /** `zones/shop.ts:12` */
  readonly place: string;
  readonly file: string;
  /** Values, or what stands for one that only running the program would tell. */
  readonly name: unknown;
  readonly args: Properties;
}

/** What a program says without being run. */
export interface ProgramRead {
  readonly declarations: readonly Declaration[];
  /** Where it declares something in a way that only running it would tell; without a kind, a file that is no valid TypeScript. */
  readonly unread: readonly { readonly kind?: ExportedKind; readonly place: string }[];
}

/** More is no declaration that a person has written. */
const mostValues = 20_000;

/**
 * Reads what the files of a program declare, from `roots` on along their imports, leaving out those that are as they
 * were exported. Nothing is run: whoever has written the program may be somebody that only proposes it.
 */
export function readProgram(folder: ExportFolder, roots: readonly string[]): ProgramRead {
  // What the folder has is as it was exported: nobody waits for the compiler.
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
    if (!module) unread.push({ place: `${file} (no valid TypeScript)` });
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
    // Nested so deeply that neither the compiler nor we come to its end.
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

/** What the constants of the modules hold; each is read once. */
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
      // A text cannot be changed by whoever gets it; a list or an object can.
      return this.#touched.has(name) && typeof value === "object" ? unreadable : value;
    };
  }

  #constant(file: string, name: string): unknown {
    const id = `${file}\n${name}`;
    if (this.#known.has(id)) return this.#known.get(id);
    // One that needs itself is none.
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

/** Lists made of lists of lists grow beyond any memory. */
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
