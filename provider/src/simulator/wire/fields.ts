import { codes, Refusal } from "./envelope";
import { isRecord, type JsonObject, toJsonObject } from "./json";

/** Reads one object of a request body strictly: unknown names, wrong types and nulls are refused with their place. */
export class Fields {
  private constructor(
    private readonly members: Record<string, unknown>,
    private readonly pointer: string,
  ) {}

  static of(value: unknown, pointer: string, known: readonly string[]): Fields {
    if (!isRecord(value)) throw invalid(pointer, "must be an object");
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) throw invalid(`${pointer}/${name}`, "is not a known field");
    }
    return new Fields(value, pointer);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.members, name);
  }

  at(name: string): string {
    return `${this.pointer}/${name}`;
  }

  value(name: string): unknown {
    return this.has(name) ? this.members[name] : undefined;
  }

  string(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === "string") return value;
    throw invalid(this.at(name), "must be a string");
  }

  boolean(name: string): boolean | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === "boolean") return value;
    throw invalid(this.at(name), "must be a boolean");
  }

  number(name: string): number | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === "number") return value;
    throw invalid(this.at(name), "must be a number");
  }

  array(name: string): readonly unknown[] | undefined {
    const value = this.value(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw invalid(this.at(name), "must be an array");
  }

  strings(name: string): string[] | undefined {
    return this.array(name)?.map((item, index) => {
      if (typeof item === "string") return item;
      throw invalid(`${this.at(name)}/${index}`, "must be a string");
    });
  }

  object(name: string): JsonObject | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (isRecord(value)) return toJsonObject(value);
    throw invalid(this.at(name), "must be an object");
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.string(name);
    if (value === undefined) return undefined;
    const found = allowed.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    throw invalid(this.at(name), `must be one of ${allowed.join(", ")}`);
  }

  /** A list of words out of those allowed. */
  allOf<T extends string>(name: string, allowed: readonly T[]): T[] | undefined {
    return this.strings(name)?.map((word, index) => {
      const found = allowed.find((candidate) => candidate === word);
      if (found !== undefined) return found;
      throw invalid(`${this.at(name)}/${index}`, `must be one of ${allowed.join(", ")}`);
    });
  }

  required<T>(name: string, value: T | undefined): T {
    if (value === undefined) throw invalid(this.at(name), "is required");
    return value;
  }
}

export function invalid(pointer: string, complaint: string): Refusal {
  return new Refusal(400, codes.invalid, `${pointer === "" ? "the body" : pointer} ${complaint}`, pointer);
}
