import * as z from "zod";

/** A field that may be missing or null: both mean absent. */
export function maybe<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** A boolean, or the string "true" or "false": the API documents and the public service differ on this. */
export const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")], {
  error: "expected true or false",
});

/** A string that some services send as a number, for example a version or an id. */
export const word = z.union([z.string(), z.number().transform(String)], { error: "expected a string" });

const digits = z.string().regex(/^-?\d+(\.\d+)?$/);

/** A number, or its digits in a string. */
export const numeral = z.union([z.number(), digits.transform(Number)], { error: "expected a number" });

/** A point in time as ISO 8601; some servers write it as seconds or milliseconds since 1970. */
export const moment = z.union([z.string(), z.number().transform(toIso)], {
  error: "expected a point in time",
});

function toIso(since: number): string {
  // A number of 1e11 or more counts milliseconds: in seconds it would be after the year 5000.
  const date = new Date(Math.abs(since) < 1e11 ? since * 1000 : since);
  return Number.isNaN(date.getTime()) ? String(since) : date.toISOString();
}

/** A list. Null means empty, because some servers send null for an empty list. */
export function lenientList<S extends z.ZodType>(schema: S) {
  const list = z.array(schema).nullable();
  return list.transform((items) => items ?? []);
}

/** `T` in the form that `compact` returns: each key whose value may be undefined is optional. */
type Compact<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

export function compact<T extends object>(value: T): Compact<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Compact<T>;
}

type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;
type InOurNames<Wire> = Compact<{ [Name in keyof Wire as Camel<Name> & string]: Wire[Name] }>;
type Read<Shape extends z.ZodRawShape> = InOurNames<z.output<z.ZodObject<Shape>>>;

/** Schema of an object in a response. Renames fields, such as `updated_at` to `updatedAt`, and drops unknown fields. */
export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  const inOurNames = renaming(shape);
  return z.object(shape).transform((wire) => inOurNames(wire) as Read<Shape>);
}

/** Like `fields`, but keeps in `extra` the fields that this version does not know, under their names on the wire. */
export function fieldsAndExtra<Shape extends z.ZodRawShape>(shape: Shape) {
  const inOurNames = renaming(shape);
  return z.looseObject(shape).transform((wire) => {
    const others = Object.entries(wire).filter(([name]) => !Object.hasOwn(shape, name));
    const ours = inOurNames(wire) as Read<Shape>;
    return others.length === 0 ? ours : { ...ours, extra: Object.fromEntries(others) };
  });
}

/** Returns a function that renames the fields of `shape` to our names. Computes our names once, not for each response. */
function renaming(shape: z.ZodRawShape): (wire: Readonly<Record<string, unknown>>) => object {
  const names = Object.keys(shape).map((name) => [name, camelCase(name)] as const);
  return (wire) => {
    const ours: Record<string, unknown> = {};
    for (const [name, ourName] of names) if (wire[name] !== undefined) ours[ourName] = wire[name];
    return ours;
  };
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
